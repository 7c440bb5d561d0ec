package io.mainstem.routing.queue;

import io.mainstem.routing.BranchId;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.dedup.PublishKey;
import io.mainstem.routing.message.BinaryReader;
import io.mainstem.routing.message.BinaryWriter;
import io.mainstem.routing.message.MalformedMessageException;
import io.mainstem.store.ExpiryTimes;
import io.mainstem.store.Route;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a prepare record tells (ADR 0013): the branch's messages lie in order in lane 0 of a queue id of their own, which
 * nobody consumes from; here is where they go, and what leaves its queue with them.
 *
 * <pre>
 * u8 version = 3 | text virtual host | blob branch id | varint holding queue id
 * varint n | [ varint m | [varint queueId | u8 priority | varint expireAtMs]*m ]*n      messages
 * varint k | [ varint laneId | varint index | u8 outcome ]*k                            settlements
 * text user                                                                             since version 2
 * text owner | varint k | [ varint message | u8 kind | key ]*k                          since version 3, publish ids
 * key: kind 0 text producer | varint sequence; kind 1 text digest
 * </pre>
 *
 * A delayed message goes to the lane of its hour, with the time in place of the expiry. A record without publish ids is
 * written as version 2.
 *
 * @param user who has prepared it; null if a version before 2 has written it
 * @param holdingQueue id of its own, also if it has no message
 */
record PreparedBranch(
        String virtualHost,
        BranchId id,
        @Nullable String user,
        int holdingQueue,
        List<Waiting> messages,
        List<Locked> locks) {
    static final String KEY = "prepared/";
    private static final int VERSION_WITHOUT_USER = 1;
    private static final int VERSION_WITHOUT_IDS = 2;
    private static final int VERSION = 3;
    private static final int SEQUENCE = 0;
    private static final int NAME = 1;

    /**
     * One message and the lanes it goes to.
     *
     * @param key of its publish id, to be claimed by the commit; or null
     */
    record Waiting(
            List<Route> routes,
            ExpiryTimes expiry,
            @Nullable PublishKey key) {}

    /** One entry that is taken until the branch is decided. */
    record Locked(long laneId, long index, Ending ending) {}

    /** What the commit means to an entry. A time not to come before is not kept. */
    enum Ending {
        ACCEPTED(0),
        REJECTED(1),
        FAILED(2),
        RELEASED(3);

        private static final List<Ending> BY_CODE = List.of(values());

        /** On disk. */
        private final int code;

        Ending(int code) {
            this.code = code;
        }

        static Ending of(Outcome outcome) {
            if (outcome instanceof Outcome.Accepted) {
                return ACCEPTED;
            }
            if (outcome instanceof Outcome.Rejected) {
                return REJECTED;
            }
            return outcome instanceof Outcome.Modified modified && modified.failed() ? FAILED : RELEASED;
        }

        Outcome outcome() {
            return switch (this) {
                case ACCEPTED -> Outcome.ACCEPTED;
                case REJECTED -> new Outcome.Rejected("");
                case FAILED -> Outcome.FAILED;
                case RELEASED -> Outcome.RELEASED;
            };
        }
    }

    /** Key of its META record; the holding queue tells branches of one name in several virtual hosts apart. */
    String key() {
        return KEY + holdingQueue + "/" + id.hex();
    }

    byte[] encode() {
        BinaryWriter out = new BinaryWriter(256);
        String owner = ownerOfIds();
        out.u8(owner != null ? VERSION : user != null ? VERSION_WITHOUT_IDS : VERSION_WITHOUT_USER)
                .text(virtualHost)
                .blob(id.bytes())
                .varint(holdingQueue)
                .varint(messages.size());
        for (Waiting message : messages) {
            out.varint(message.routes.size());
            for (int at = 0; at < message.routes.size(); at++) {
                Route route = message.routes.get(at);
                out.varint(route.queueId())
                        .u8(route.priority() | route.stamp() << 4)
                        .varint(message.expiry.at(at));
            }
        }
        out.varint(locks.size());
        for (Locked lock : locks) {
            out.varint(lock.laneId).varint(lock.index).u8(lock.ending.code);
        }
        if (user != null) {
            out.text(user);
        }
        if (owner != null) {
            encodeIds(out.text(owner));
        }
        return out.toByteArray();
    }

    /** Whose the publish ids are: all of one user; null = there are none. */
    private @Nullable String ownerOfIds() {
        for (Waiting message : messages) {
            if (message.key != null) {
                return message.key.owner();
            }
        }
        return null;
    }

    private void encodeIds(BinaryWriter out) {
        out.varint(messages.stream().filter(message -> message.key != null).count());
        for (int at = 0; at < messages.size(); at++) {
            PublishKey key = messages.get(at).key;
            if (key instanceof PublishKey.Sequence sequence) {
                out.varint(at).u8(SEQUENCE).text(sequence.producer()).varint(sequence.sequence());
            } else if (key instanceof PublishKey.Name name) {
                out.varint(at).u8(NAME).text(name.digest());
            }
        }
    }

    private static void decodeIds(BinaryReader in, List<Waiting> messages) {
        String owner = in.text();
        for (int left = in.count(); left > 0; left--) {
            int at = in.number(messages.size() - 1);
            PublishKey key = in.number(NAME) == SEQUENCE
                    ? new PublishKey.Sequence(owner, in.text(), in.varint())
                    : new PublishKey.Name(owner, in.text());
            messages.set(at, new Waiting(messages.get(at).routes, messages.get(at).expiry, key));
        }
    }

    /** @throws MalformedMessageException if it is none */
    static PreparedBranch decode(byte[] value) {
        try {
            return decode(new BinaryReader(value));
        } catch (IllegalArgumentException e) {
            throw new MalformedMessageException("prepare record: " + e.getMessage());
        }
    }

    private static PreparedBranch decode(BinaryReader in) {
        int version = in.u8();
        if (version < VERSION_WITHOUT_USER || version > VERSION) {
            throw new MalformedMessageException(
                    "prepare record: version " + version + " (expected: 1 to " + VERSION + ")");
        }
        String host = in.text();
        BranchId id = BranchId.of(in.blob());
        int holding = in.number(Integer.MAX_VALUE);
        List<Waiting> messages = new ArrayList<>();
        for (int left = in.count(); left > 0; left--) {
            int lanes = in.count();
            List<Route> routes = new ArrayList<>(lanes);
            long[] expireAtMs = new long[lanes];
            for (int at = 0; at < lanes; at++) {
                int queueId = in.number(Integer.MAX_VALUE);
                int lane = in.u8();
                routes.add(new Route(queueId, lane & 15, lane >>> 4));
                expireAtMs[at] = in.varint();
            }
            messages.add(new Waiting(routes, ExpiryTimes.of(expireAtMs), null));
        }
        List<Locked> locks = new ArrayList<>();
        for (int left = in.count(); left > 0; left--) {
            locks.add(new Locked(in.varint(), in.varint(), Ending.BY_CODE.get(in.number(Ending.BY_CODE.size() - 1))));
        }
        String user = version == VERSION_WITHOUT_USER ? null : in.text();
        if (version == VERSION) {
            decodeIds(in, messages);
        }
        in.expectEnd();
        return new PreparedBranch(host, id, user, holding, messages, locks);
    }
}
