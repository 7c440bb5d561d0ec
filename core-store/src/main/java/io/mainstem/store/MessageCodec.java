package io.mainstem.store;

import io.mainstem.store.codec.BytesReader;
import io.mainstem.store.codec.BytesWriter;
import java.util.ArrayList;
import java.util.List;

/** Bodies of MSG and MSG_REF; the layouts are drawn at {@link Frames}. */
final class MessageCodec {
    private static final int HAS_EXPIRY = 1;
    private static final int HAS_TAG = 2;
    private static final int HAS_DELAY = 4;
    /** Instead of HAS_EXPIRY: one for each route. */
    private static final int HAS_EXPIRIES = 8;

    private MessageCodec() {}

    static byte[] encodeMessage(List<Route> routes, ExpiryTimes expiry, long tagHash, byte[] head) {
        BytesWriter out = new BytesWriter(32 + 4 * routes.size() + head.length);
        out.u8(RecordBody.VERSION).u8(flag(expiry) | (tagHash == 0 ? 0 : HAS_TAG));
        writeRoutes(out, routes);
        writeExpiry(out, expiry, routes.size());
        if (tagHash != 0) {
            out.u64(tagHash);
        }
        return out.block(head).toBytes();
    }

    static byte[] encodeDelayed(Route lane, Delay delay, ExpiryTimes expiry, byte[] head) {
        BytesWriter out = new BytesWriter(64 + 4 * delay.stored().size() + head.length);
        out.u8(RecordBody.VERSION).u8(HAS_DELAY | flag(expiry));
        writeRoutes(out, List.of(lane));
        out.varint(delay.deliverAtMs());
        writeRoutes(out, delay.stored());
        writeRoutes(out, delay.inMemory());
        writeRoutes(out, delay.bestEffort());
        writeExpiry(out, expiry, delay.stored().size());
        return out.block(head).toBytes();
    }

    static byte[] encodeMessageRef(List<Route> routes, Entry target, ExpiryTimes expiry, byte[] overrides) {
        BytesWriter out = new BytesWriter(48 + 4 * routes.size() + overrides.length);
        out.u8(RecordBody.VERSION).u8(flag(expiry));
        writeRoutes(out, routes);
        writeExpiry(out, expiry, routes.size());
        return out.u64(target.lsn())
                .varint(target.size())
                .varint(target.stamped(0).flags() & ~Entry.FLAG_REF)
                .raw(overrides)
                .toBytes();
    }

    static RecordBody.Message message(BytesReader in) {
        int flags = flags(in, HAS_EXPIRY | HAS_TAG | HAS_DELAY | HAS_EXPIRIES);
        List<Route> routes = readRoutes(in);
        Delay delay = (flags & HAS_DELAY) != 0 ? readDelay(in) : null;
        ExpiryTimes expiry = readExpiry(in, flags, (delay == null ? routes : delay.stored()).size());
        long tagHash = (flags & HAS_TAG) != 0 ? in.u64() : 0;
        int headBytes = in.count(1);
        return new RecordBody.Message(routes, expiry, tagHash, delay, in.position(), headBytes);
    }

    private static Delay readDelay(BytesReader in) {
        long deliverAtMs = in.varint(ScheduleLane.DELIVER_AT_MS_MAX);
        if (deliverAtMs == 0) {
            throw in.malformed("delay until 0");
        }
        List<Route> stored = readLanes(in);
        List<Route> inMemory = readLanes(in);
        List<Route> bestEffort = readLanes(in);
        if (stored.size() + inMemory.size() + bestEffort.size() == 0) {
            throw in.malformed("delay without lanes");
        }
        return new Delay(deliverAtMs, stored, inMemory, bestEffort);
    }

    static RecordBody.MessageRef messageRef(BytesReader in) {
        int flags = flags(in, HAS_EXPIRY | HAS_EXPIRIES);
        List<Route> routes = readRoutes(in);
        ExpiryTimes expiry = readExpiry(in, flags, routes.size());
        long targetLsn = in.u64();
        int targetSize = (int) in.varint(Integer.MAX_VALUE);
        int targetFlags = (int) in.varint(0xFFFF);
        if (targetLsn < 0 || (targetFlags & Entry.FLAG_REF) != 0) {
            throw in.malformed("target " + targetLsn + " with flags " + targetFlags);
        }
        return new RecordBody.MessageRef(routes, targetLsn, targetSize, targetFlags, expiry, in.position());
    }

    private static int flags(BytesReader in, int known) {
        int flags = in.u8();
        if ((flags & ~known) != 0) {
            throw in.malformed("unknown body flags " + flags);
        }
        return flags;
    }

    private static void writeRoutes(BytesWriter out, List<Route> routes) {
        out.varint(routes.size());
        for (Route route : routes) {
            int lane = route.stamp() == 0 ? route.priority() : Route.LANES_MAX - 1 + route.stamp();
            out.varint((long) route.queueId() << 4 | lane);
        }
    }

    private static List<Route> readRoutes(BytesReader in) {
        List<Route> routes = readLanes(in);
        if (routes.isEmpty()) {
            throw in.malformed("no routes");
        }
        return routes;
    }

    private static List<Route> readLanes(BytesReader in) {
        int count = in.count(1);
        if (count == 1) {
            return List.of(readRoute(in));
        }
        List<Route> routes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            routes.add(readRoute(in));
        }
        return routes;
    }

    private static Route readRoute(BytesReader in) {
        long coded = in.varint((long) Integer.MAX_VALUE << 4 | 15);
        int queueId = (int) (coded >>> 4);
        int lane = (int) (coded & 15);
        if (queueId < 1 || lane >= Route.LANES_MAX + Route.STAMP_MAX) {
            throw in.malformed("route " + queueId + "/" + lane);
        }
        return lane < Route.LANES_MAX ? new Route(queueId, lane) : new Route(queueId, 0, lane - Route.LANES_MAX + 1);
    }

    private static int flag(ExpiryTimes expiry) {
        return !expiry.same() ? HAS_EXPIRIES : expiry.at(0) == 0 ? 0 : HAS_EXPIRY;
    }

    private static void writeExpiry(BytesWriter out, ExpiryTimes expiry, int routes) {
        if (!expiry.same()) {
            for (int route = 0; route < routes; route++) {
                out.varint(expiry.at(route));
            }
        } else if (expiry.at(0) != 0) {
            out.varint(expiry.at(0));
        }
    }

    private static ExpiryTimes readExpiry(BytesReader in, int flags, int routes) {
        if ((flags & HAS_EXPIRIES) != 0) {
            long[] each = new long[routes];
            for (int route = 0; route < routes; route++) {
                each[route] = in.varint(Long.MAX_VALUE);
            }
            return ExpiryTimes.of(each);
        }
        return (flags & HAS_EXPIRY) != 0 ? ExpiryTimes.of(in.varint(Long.MAX_VALUE)) : ExpiryTimes.NEVER;
    }
}
