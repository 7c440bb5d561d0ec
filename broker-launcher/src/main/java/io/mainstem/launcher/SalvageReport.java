package io.mainstem.launcher;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mainstem.store.segment.LogInspector.Damage;
import io.mainstem.store.shard.Salvage;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** What {@code mainstem store salvage} says it has done. */
record SalvageReport(Path target, Salvage.Report report) {
    /** True if all that was promised is there: some of it may come twice. */
    boolean complete() {
        return report.lost() == 0
                && report.droppedFiles() == 0
                && report.damages().stream().noneMatch(Damage::durable);
    }

    void print(PrintWriter out) {
        out.println("new store   " + target + ", " + report.waiting() + " messages wait in it");
        for (Damage damage : report.damages()) {
            out.println((damage.durable() ? "DAMAGE      " : "torn tail   ") + damage.file() + " from " + damage.lsn()
                    + " to " + damage.untilLsn() + ": " + damage.what());
        }
        if (report.droppedFiles() > 0) {
            out.println("LEFT OUT    " + report.droppedFiles() + " checkpoints or compacted files that tell nothing");
        }
        new TreeMap<>(report.lostByQueue())
                .forEach((queue, count) -> out.println("LOST        " + count + " messages of queue id " + queue));
        new TreeMap<>(report.againByQueue())
                .forEach((queue, count) -> out.println("found again " + count + " messages of queue id " + queue
                        + ", which may have been consumed before"));
        if (report.unmatched() > 0) {
            out.println("unmatched   " + report.unmatched()
                    + " consumed messages could not be told from others: those that are left come again");
        }
        out.println(complete() ? "result      complete" : "result      incomplete: see above");
    }

    String json() {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        root.put("complete", complete());
        root.put("directory", target.toString());
        root.put("waiting", report.waiting());
        root.put("replayedRecords", report.replayed());
        root.put("unmatched", report.unmatched());
        root.put("leftOutFiles", report.droppedFiles());
        counts(root.putObject("lostByQueueId"), report.lostByQueue());
        counts(root.putObject("foundAgainByQueueId"), report.againByQueue());
        ArrayNode damages = root.putArray("damages");
        for (Damage damage : report.damages()) {
            damages.addObject()
                    .put("file", damage.file())
                    .put("lsn", damage.lsn())
                    .put("untilLsn", damage.untilLsn())
                    .put("what", damage.what())
                    .put("durable", damage.durable());
        }
        return root.toString();
    }

    private static void counts(ObjectNode into, Map<Long, Long> counts) {
        new TreeMap<>(counts).forEach((queue, count) -> into.put(Long.toString(queue), count));
    }
}
