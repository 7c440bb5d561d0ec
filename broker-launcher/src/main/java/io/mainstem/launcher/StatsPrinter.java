package io.mainstem.launcher;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mainstem.store.checkpoint.ImageHeader;
import io.mainstem.store.shard.StoreStats;
import io.mainstem.store.shard.StoreStats.FileKind;
import io.mainstem.store.shard.StoreStats.LaneStats;
import java.io.PrintWriter;
import java.util.Locale;

/** {@link StoreStats} for people or for programs. */
final class StatsPrinter {
    private static final double MIB = 1 << 20;

    private final StoreStats stats;

    StatsPrinter(StoreStats stats) {
        this.stats = stats;
    }

    void print(PrintWriter out) {
        for (FileKind kind : stats.files()) {
            out.println(String.format(
                    Locale.ROOT, "%-20s%8d files %12.1f MiB", kind.kind(), kind.count(), kind.bytes() / MIB));
        }
        ImageHeader checkpoint = stats.checkpoint();
        out.println(
                checkpoint == null
                        ? "checkpoint          none yet; what is in the log is not counted here"
                        : "checkpoint          of LSN " + checkpoint.replayLsn()
                                + (checkpoint.clean() ? ", clean stop" : "; the log behind it is not counted here"));
        out.println(String.format(
                Locale.ROOT,
                "messages            %d unsettled entries in %d lanes hold %.1f MiB of the log; %d metadata keys",
                stats.unsettled(),
                stats.lanes(),
                stats.liveBytes() / MIB,
                stats.metadata()));
        for (LaneStats lane : stats.largest()) {
            out.println(String.format(
                    Locale.ROOT,
                    "lane                queue %d priority %d: %d entries, %.1f MiB",
                    lane.queueId(),
                    lane.priority(),
                    lane.unsettled(),
                    lane.bytes() / MIB));
        }
    }

    String json() {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        ArrayNode files = root.putArray("files");
        for (FileKind kind : stats.files()) {
            files.addObject()
                    .put("kind", kind.kind())
                    .put("count", kind.count())
                    .put("bytes", kind.bytes());
        }
        ImageHeader checkpoint = stats.checkpoint();
        if (checkpoint != null) {
            root.putObject("checkpoint")
                    .put("replayLsn", checkpoint.replayLsn())
                    .put("syncedLsn", checkpoint.syncedLsn())
                    .put("clean", checkpoint.clean());
        }
        root.put("lanes", stats.lanes())
                .put("unsettled", stats.unsettled())
                .put("liveBytes", stats.liveBytes())
                .put("metadataKeys", stats.metadata());
        ArrayNode lanes = root.putArray("largestLanes");
        for (LaneStats lane : stats.largest()) {
            lanes.addObject()
                    .put("queueId", lane.queueId())
                    .put("priority", lane.priority())
                    .put("unsettled", lane.unsettled())
                    .put("bytes", lane.bytes());
        }
        return root.toString();
    }
}
