package io.mainstem.store.segment;

import io.mainstem.store.RecordType;
import io.mainstem.store.StoreException;
import io.mainstem.store.segment.CommitLog.LogRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Cuts verified batches into groups for the visitor. Thread: opening thread. */
final class GroupReplay {
    private static final Set<Integer> KNOWN =
            Stream.of(RecordType.values()).map(RecordType::code).collect(Collectors.toUnmodifiableSet());

    private final CommitLog.ReplayedGroups visitor;
    private long groups;

    GroupReplay(CommitLog.ReplayedGroups visitor) {
        this.visitor = visitor;
    }

    long groups() {
        return groups;
    }

    void replay(ScannedBatch batch) {
        List<LogRecord> group = new ArrayList<>();
        for (RecordHeader record : batch.records()) {
            if (carriesState(record)) {
                group.add(
                        new LogRecord(record.lsn(), record.type(), record.flags(), record.epoch(), batch.body(record)));
            }
            if (!record.more()) {
                if (!group.isEmpty()) {
                    visitor.group(group);
                    groups++;
                }
                group = new ArrayList<>();
            }
        }
    }

    private static boolean carriesState(RecordHeader record) {
        if (KNOWN.contains(record.type())) {
            return record.type() != RecordType.EPOCH.code() && record.type() != RecordType.MSG_PART.code();
        }
        if ((record.flags() & CommitLog.FLAG_MUST_UNDERSTAND) != 0) {
            throw new StoreException(
                    "MS-0208",
                    "The record at LSN " + record.lsn() + " has the unknown type " + record.type()
                            + ", which must not be skipped.",
                    "start the version of Mainstem that wrote this store.");
        }
        return false;
    }
}
