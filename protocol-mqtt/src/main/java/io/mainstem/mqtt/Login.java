package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Packet;
import io.mainstem.transport.Peer;
import io.mainstem.transport.security.Authenticator;
import io.mainstem.transport.security.SaslStep;
import io.mainstem.transport.security.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Who a client is, by the user name and password of its CONNECT, or by its certificate. Thread: any. */
final class Login {
    private static final byte[] NOTHING = {};

    private Login() {}

    /** A client with neither name nor certificate is anonymous, if anonymous clients may come in. */
    static CompletionStage<Verdict> of(Authenticator authenticator, Peer peer, Packet.Connect connect) {
        String user = connect.user();
        byte[] password = connect.password();
        if (password == null && peer.certificate() != null) {
            byte[] name = user == null ? NOTHING : user.getBytes(StandardCharsets.UTF_8);
            return authenticator.begin("EXTERNAL", peer).respond(name).thenApply(Login::verdict);
        }
        if (user != null) {
            return authenticator.login(peer, user, password == null ? NOTHING : password);
        }
        return CompletableFuture.completedStage(
                authenticator.allowsAnonymous(peer)
                        ? new Verdict.Granted(null, NOTHING)
                        : new Verdict.Refused(false, "no user name"));
    }

    private static Verdict verdict(SaslStep step) {
        return step instanceof Verdict verdict ? verdict : new Verdict.Refused(false, "more than one step");
    }

    /** The CONNECT with the user it is from, and without its password. */
    static Packet.Connect as(@Nullable String user, Packet.Connect connect) {
        return new Packet.Connect(
                connect.version(),
                connect.cleanStart(),
                connect.keepAlive(),
                connect.clientId(),
                connect.will(),
                user,
                null,
                connect.properties());
    }
}
