package io.mainstem.mqtt;

import io.mainstem.routing.message.BinaryReader;
import io.mainstem.routing.message.BinaryWriter;
import io.mainstem.routing.message.EnvelopeCodec;
import io.mainstem.routing.message.MalformedMessageException;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session as it lies in the log; its subscriptions are bindings and lie there, too. On disk.
 *
 * <pre>
 *  u8 version = 2, text clientId, u8 owned [text user], varint expiry, varint disconnectedAtMs, u8 will
 *  [varint delay, blob envelope, varint n, n x blob piece of the sections]
 * </pre>
 *
 * Version 1 is read, too; it has no owner.
 *
 * @param user whose session it is; null = of an anonymous client, or written before sessions had owners
 * @param expirySeconds 0xFFFFFFFF = never; 0 = with the connection: there only for its will
 * @param disconnectedAtMs epoch ms, 0 = a client is connected
 */
record SessionRecord(
        String clientId,
        @Nullable String user,
        long expirySeconds,
        long disconnectedAtMs,
        @Nullable WillMessage will) {
    private static final int VERSION = 2;
    private static final int WITHOUT_OWNER = 1;

    byte[] encode() {
        BinaryWriter out = new BinaryWriter(64).u8(VERSION).text(clientId);
        String owner = user;
        if (owner == null) {
            out.u8(0);
        } else {
            out.u8(1).text(owner);
        }
        out.varint(expirySeconds).varint(disconnectedAtMs);
        WillMessage its = will;
        if (its == null) {
            return out.u8(0).toByteArray();
        }
        out.u8(1).varint(its.delaySeconds());
        out.blob(EnvelopeCodec.encode(its.message().envelope()));
        out.varint(its.message().sections().size());
        its.message().sections().forEach(out::blob);
        return out.toByteArray();
    }

    /** @throws MalformedMessageException if the bytes are no record of a known version */
    static SessionRecord decode(byte[] bytes) {
        BinaryReader in = new BinaryReader(bytes);
        int version = in.u8();
        if (version != VERSION && version != WITHOUT_OWNER) {
            throw new MalformedMessageException(
                    "session record version " + version + " (expected: up to " + VERSION + ")");
        }
        String clientId = in.text();
        String user = version == VERSION && in.u8() == 1 ? in.text() : null;
        long expiry = in.varint();
        long disconnectedAt = in.varint();
        WillMessage will = null;
        if (in.u8() == 1) {
            long delay = in.varint();
            var envelope = EnvelopeCodec.decode(in.blob());
            List<byte[]> sections = new ArrayList<>();
            for (int pieces = in.count(); pieces > 0; pieces--) {
                sections.add(in.blob());
            }
            will = new WillMessage(delay, new Message(envelope, sections));
        }
        in.expectEnd();
        return new SessionRecord(clientId, user, expiry, disconnectedAt, will);
    }

    /** True if there is more to it than the connection. */
    boolean outlivesConnection() {
        return expirySeconds > 0;
    }

    /** When it ends if nobody connects, epoch ms; {@link Long#MAX_VALUE} = never. */
    long endsAtMs() {
        return expirySeconds == Client.NEVER ? Long.MAX_VALUE : disconnectedAtMs + expirySeconds * 1000;
    }

    SessionRecord disconnectedAt(long nowMs, long expiry) {
        return new SessionRecord(clientId, user, expiry, nowMs, will);
    }

    SessionRecord withoutWill() {
        return new SessionRecord(clientId, user, expirySeconds, disconnectedAtMs, null);
    }
}
