package io.mainstem.transport.security;

import org.jspecify.annotations.Nullable;

/** How a login ended. */
public sealed interface Verdict extends SaslStep permits Verdict.Granted, Verdict.Refused {
    /**
     * The peer is who it says.
     *
     * @param user its name, or null for anonymous
     * @param proof to be sent with the good news, the server's signature of SCRAM; empty if there is none
     */
    record Granted(@Nullable String user, byte[] proof) implements Verdict {}

    /**
     * The peer stays outside.
     *
     * @param temporary the same login may succeed later: the broker is busy, or the address has failed too often
     * @param reason for the log; peers must not learn it
     */
    record Refused(boolean temporary, String reason) implements Verdict {}
}
