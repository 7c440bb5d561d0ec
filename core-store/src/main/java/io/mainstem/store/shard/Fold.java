package io.mainstem.store.shard;

import io.mainstem.store.Delay;
import io.mainstem.store.Entry;
import io.mainstem.store.ExpiryTimes;
import io.mainstem.store.Frame;
import io.mainstem.store.RecordBody;
import io.mainstem.store.RecordType;
import io.mainstem.store.Route;
import io.mainstem.store.StoreException;
import io.mainstem.store.codec.MalformedException;
import io.mainstem.store.segment.CommitLog.LogRecord;
import io.mainstem.store.view.Lanes;
import java.util.List;
import java.util.function.ObjLongConsumer;

/**
 * State = fold(records): the one place where a record changes lanes and metadata, live and at replay.
 *
 * <p>Thread: shard only (at start: the thread that opens the store).
 */
final class Fold {
    private final Lanes lanes;
    private final MetaImage meta;
    private long replayedRecords;

    Fold(Lanes lanes, MetaImage meta) {
        this.lanes = lanes;
        this.meta = meta;
    }

    /** Records of a group that has become durable; they know where they stand. */
    void live(List<Frame> frames) {
        for (Frame frame : frames) {
            long partsLsn = frame.parts().isEmpty() ? -1 : frame.parts().get(0).lsn();
            Stored stored = new Stored(frame.lsn(), frame.storedBodyBytes(), partsLsn);
            // Piece 0 of a message is all that folding needs; all other bodies are one piece.
            fold(frame.type(), frame.body().get(0), 0, stored);
        }
    }

    /** A group read back from the log. */
    void replay(List<LogRecord> records) {
        for (LogRecord record : records) {
            RecordType type = RecordType.of(record.type());
            if (type == null) {
                continue; // the log refuses unknown types that matter
            }
            replayedRecords++;
            byte[] body = record.body();
            if (record.isLarge()) {
                RecordBody.PartList parts = partList(record);
                fold(type, body, parts.bodyFrom(), new Stored(record.lsn(), body.length, parts.lsn()[0]));
            } else {
                fold(type, body, 0, new Stored(record.lsn(), body.length, -1));
            }
        }
    }

    /** Records that {@link #replay} was given. */
    long replayedRecords() {
        return replayedRecords;
    }

    private static RecordBody.PartList partList(LogRecord record) {
        try {
            return RecordBody.partList(record.body());
        } catch (MalformedException e) {
            throw malformed(record.lsn(), e);
        }
    }

    private void fold(RecordType type, byte[] body, int bodyFrom, Stored stored) {
        switch (type) {
            case MSG, MSG_REF, SETTLE, RELEASE, PURGE, META, DEDUP ->
                fold(decode(type, body, bodyFrom, stored.lsn), stored);
            default -> {
                // The log's own records change no state.
            }
        }
    }

    private static RecordBody decode(RecordType type, byte[] body, int bodyFrom, long lsn) {
        try {
            return RecordBody.decode(type, body, bodyFrom);
        } catch (MalformedException e) {
            throw malformed(lsn, e);
        }
    }

    private void fold(RecordBody body, Stored stored) {
        if (body instanceof RecordBody.Message message) {
            // A delayed message has one route; its time there is that of the entry.
            ExpiryTimes times = message.delay() == null ? message.expiry() : ExpiryTimes.NEVER;
            append(message.routes(), times, entry(message, stored), stored.lsn);
        } else if (body instanceof RecordBody.MessageRef ref) {
            append(ref.routes(), ref.expiry(), entry(ref, stored), stored.lsn);
        } else if (body instanceof RecordBody.Settle settle) {
            settle.lanes().forEach(lane -> lanes.settle(lane, stored.lsn));
        } else if (body instanceof RecordBody.Release release) {
            release.lanes().forEach(lane -> lanes.countFailures(lane, stored.lsn));
        } else if (body instanceof RecordBody.Purge purge) {
            lanes.purge(purge, stored.lsn);
        } else if (body instanceof RecordBody.Meta changes) {
            meta.fold(changes);
        } else if (body instanceof RecordBody.Dedup dedup) {
            meta.fold(dedup);
        }
    }

    /** Tells which lanes a record appends to, by id, and what. */
    static void appendsOf(LogRecord record, ObjLongConsumer<Entry> to) {
        RecordType type = RecordType.of(record.type());
        if (type != RecordType.MSG && type != RecordType.MSG_REF) {
            return;
        }
        RecordBody.PartList parts = record.isLarge() ? partList(record) : null;
        Stored stored = new Stored(record.lsn(), record.body().length, parts == null ? -1 : parts.lsn()[0]);
        RecordBody body = decode(type, record.body(), parts == null ? 0 : parts.bodyFrom(), record.lsn());
        if (body instanceof RecordBody.Message message) {
            ExpiryTimes times = message.delay() == null ? message.expiry() : ExpiryTimes.NEVER;
            tell(message.routes(), times, entry(message, stored), to);
        } else if (body instanceof RecordBody.MessageRef ref) {
            tell(ref.routes(), ref.expiry(), entry(ref, stored), to);
        }
    }

    private static void tell(List<Route> routes, ExpiryTimes each, Entry entry, ObjLongConsumer<Entry> to) {
        for (int i = 0; i < routes.size(); i++) {
            to.accept(at(routes.get(i), each, i, entry), routes.get(i).laneId());
        }
    }

    private void append(List<Route> routes, ExpiryTimes each, Entry entry, long lsn) {
        for (int i = 0; i < routes.size(); i++) {
            lanes.append(routes.get(i), at(routes.get(i), each, i, entry), lsn);
        }
    }

    /** The entry as it stands in one of its lanes. */
    private static Entry at(Route route, ExpiryTimes each, int i, Entry entry) {
        return (each.same() ? entry : entry.expiringAt(each.at(i))).stamped(route.stamp());
    }

    private static Entry entry(RecordBody.Message message, Stored stored) {
        int flags = stored.partsLsn < 0 ? 0 : Entry.FLAG_LARGE | partSteps(stored) << Entry.PART_STEPS_SHIFT;
        int fanout = Math.min(message.routes().size(), Entry.FANOUT_MAX);
        Delay delay = message.delay();
        long time = delay == null ? message.expiry().at(0) : delay.deliverAtMs();
        return new Entry(0, stored.lsn, (int) stored.bytes, flags, fanout, message.tagHash(), time);
    }

    private static Entry entry(RecordBody.MessageRef ref, Stored stored) {
        int fanout = Math.min(ref.routes().size(), Entry.FANOUT_MAX);
        int flags = ref.targetFlags() | Entry.FLAG_REF;
        return new Entry(
                0,
                ref.targetLsn(),
                ref.targetSize(),
                flags,
                fanout,
                stored.lsn,
                ref.expiry().at(0));
    }

    private static int partSteps(Stored stored) {
        long units = stored.lsn / Entry.UNIT_BYTES - stored.partsLsn / Entry.UNIT_BYTES;
        long steps = (units + Entry.PART_STEP_UNITS - 1) / Entry.PART_STEP_UNITS;
        if (steps > Entry.PART_STEPS_MAX) {
            throw new StoreException(
                    "MS-0232",
                    "the message at " + stored.lsn + " has its first part at " + stored.partsLsn
                            + ", further away than an entry can say.",
                    "send messages of less than 4 GiB in one transaction.");
        }
        return (int) steps;
    }

    private static StoreException malformed(long lsn, MalformedException cause) {
        return new StoreException(
                "MS-0231",
                "the record at " + lsn + " is sound but cannot be understood: " + cause.getMessage() + ".",
                "start the version that wrote it; keep the data folder for a report.",
                cause);
    }

    /** Where a record stands: its LSN, body length, and the LSN of its first part or -1. */
    private record Stored(long lsn, long bytes, long partsLsn) {}
}
