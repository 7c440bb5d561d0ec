package io.mainstem.launcher;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mainstem.launcher.lifecycle.StoreStart;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.files.NioFiles;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.segment.LogInspector;
import io.mainstem.store.segment.LogInspector.Damage;
import io.mainstem.store.segment.LogInspector.Findings;
import io.mainstem.store.segment.LogInspector.FoundSegment;
import io.mainstem.store.segment.LogInspector.Summary;
import io.mainstem.store.segment.StoreFolder;
import io.mainstem.store.shard.StateVerification;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Every checksum of a store that nobody has open, and whether its counters agree with its entries. */
record StoreCheck(Summary log, List<Damage> damages, StateVerification.Report state) {
    private static final long PROGRESS_NANOS = 5_000_000_000L;

    StoreCheck {
        damages = List.copyOf(damages);
    }

    /**
     * Reads everything.
     *
     * @param progress gets a line every few seconds
     * @throws io.mainstem.launcher.lifecycle.StartFailure if the folder holds no store, or cannot be read
     */
    static StoreCheck of(StoreConfig config, PrintWriter progress) {
        StoreFiles files = new NioFiles();
        List<Damage> damages = new ArrayList<>();
        Summary log = StoreStart.reading(
                config,
                () -> LogInspector.inspect(files, config.directory(), replayLsn(config, files), new Findings() {
                    private long told = System.nanoTime();
                    private long bytes;

                    @Override
                    public void segment(FoundSegment segment) {
                        if (System.nanoTime() - told > PROGRESS_NANOS) {
                            told = System.nanoTime();
                            progress.println("read " + (bytes >> 20) + " MiB of the log, now " + segment.file());
                            progress.flush();
                        }
                        bytes += segment.fileBytes();
                    }

                    @Override
                    public void damage(Damage damage) {
                        damages.add(damage);
                    }
                }));
        return new StoreCheck(log, damages, StoreStart.reading(config, () -> StateVerification.run(config, files)));
    }

    private static long replayLsn(StoreConfig config, StoreFiles files) throws IOException {
        return Checkpoints.replayLsn(StoreFolder.asMade(files, config), files);
    }

    /** The same, with what else was found to be wrong. */
    StoreCheck with(List<String> problems) {
        List<String> all = new ArrayList<>(problems);
        all.addAll(state.problems());
        return new StoreCheck(log, damages, new StateVerification.Report(state.checked(), all));
    }

    /** True if all that was ever promised is there. */
    boolean sound() {
        return log.durableDamages() == 0 && state.problems().isEmpty();
    }

    void print(PrintWriter out) {
        out.println("log         " + log.startLsn() + " to " + log.tailLsn() + ", durable at least to "
                + log.vouchedLsn() + "; " + log.segments() + " segments, " + log.batches() + " batches, "
                + log.records() + " records");
        state.checked().forEach(line -> out.println("checkpoint  " + line));
        for (Damage damage : damages) {
            out.println((damage.durable() ? "DAMAGE      " : "torn tail   ") + damage.file() + " from " + damage.lsn()
                    + " to " + damage.untilLsn() + ": " + damage.what()
                    + (damage.durable() ? "" : "; was never confirmed, the next start cuts it"));
        }
        state.problems().forEach(line -> out.println("DAMAGE      " + line));
        out.println(sound() ? "result      sound" : "result      damaged: restore the named files from a copy");
    }

    String json() {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        root.put("sound", sound());
        root.putObject("log")
                .put("startLsn", log.startLsn())
                .put("tailLsn", log.tailLsn())
                .put("vouchedLsn", log.vouchedLsn())
                .put("segments", log.segments())
                .put("batches", log.batches())
                .put("records", log.records());
        ArrayNode found = root.putArray("damages");
        for (Damage damage : damages) {
            found.addObject()
                    .put("file", damage.file())
                    .put("lsn", damage.lsn())
                    .put("untilLsn", damage.untilLsn())
                    .put("what", damage.what())
                    .put("durable", damage.durable());
        }
        ArrayNode checkpoints = root.putArray("checkpoints");
        state.checked().forEach(checkpoints::add);
        ArrayNode problems = root.putArray("problems");
        state.problems().forEach(problems::add);
        return root.toString();
    }
}
