package io.mainstem.routing.queue;

import io.mainstem.routing.BranchId;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.BinaryReader;
import io.mainstem.routing.message.BinaryWriter;
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
 * u8 version = 2 | text virtual host | blob branch id | varint holding queue id
 * varint n | [ varint m | [varint queueId | u8 priority | varint expireAtMs]*m ]*n      messages
 * varint k | [ varint laneId | varint index | u8 outcome ]*k                            settlements
 * text user                                                                             since version 2
 * </pre>
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
    private static final int VERSION = 2;

    /** One message and the lanes it goes to. */
    record Waiting(List<Route> routes, ExpiryTimes expiry) {}

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
        out.u8(user == null ? VERSION_WITHOUT_USER : VERSION)
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
        return out.toByteArray();
    }

    /** @throws io.mainstem.routing.message.MalformedMessageException if it is none */
    static PreparedBranch decode(byte[] value) {
        BinaryReader in = new BinaryReader(value);
        int version = in.u8();
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
            messages.add(new Waiting(routes, ExpiryTimes.of(expireAtMs)));
        }
        List<Locked> locks = new ArrayList<>();
        for (int left = in.count(); left > 0; left--) {
            locks.add(new Locked(in.varint(), in.varint(), Ending.BY_CODE.get(in.number(Ending.BY_CODE.size() - 1))));
        }
        String user = version == VERSION_WITHOUT_USER ? null : in.text();
        in.expectEnd();
        return new PreparedBranch(host, id, user, holding, messages, locks);
    }
}
