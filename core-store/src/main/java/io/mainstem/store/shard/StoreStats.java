package io.mainstem.store.shard;

import io.mainstem.store.Lane;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.checkpoint.ImageHeader;
import io.mainstem.store.checkpoint.ImageVisitor;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.StoreFiles.OpenMode;
import io.mainstem.store.segment.StoreFolder;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.ViewFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is in a store that no broker has open: files by kind, and the state as its newest checkpoint has it.
 *
 * @param files by kind
 * @param checkpoint the newest one, or null
 * @param lanes lanes of queues with unsettled entries
 * @param unsettled entries in them
 * @param liveBytes what these hold of the log
 * @param metadata keys
 * @param largest lanes with the most bytes, at most as many as asked for
 */
public record StoreStats(
        List<FileKind> files,
        @Nullable ImageHeader checkpoint,
        long lanes,
        long unsettled,
        long liveBytes,
        long metadata,
        List<LaneStats> largest) {

    /** Files of a kind. */
    public record FileKind(String kind, long count, long bytes) {}

    /** A lane: a queue's entries of one priority. */
    public record LaneStats(long queueId, int priority, long unsettled, long bytes) {}

    public StoreStats {
        files = List.copyOf(files);
        largest = List.copyOf(largest);
    }

    /**
     * Looks at files and newest checkpoint; reads no messages. Blocks.
     *
     * @param lanesMax how many of the largest lanes to name
     * @throws io.mainstem.store.StoreException MS-0203 if there is no store
     */
    public static StoreStats of(StoreConfig wanted, StoreFiles files, int lanesMax) throws IOException {
        StoreFolder.requireStore(files, wanted.directory());
        StoreConfig config = StoreFolder.asMade(files, wanted);
        Path root = config.directory();
        List<FileKind> kinds = new ArrayList<>();
        kinds.add(kind(files, "segments", root.resolve("log"), ".*\\.log"));
        kinds.add(kind(files, "compacted", root.resolve("log"), ".*\\.g\\d+"));
        kinds.add(kind(files, "spare segments", root.resolve("log/pool"), ".*"));
        kinds.add(kind(files, "kept damaged files", root.resolve("log/attic"), ".*"));
        kinds.add(kind(files, "consume queues", root.resolve("view"), ".*\\.view"));
        kinds.add(kind(files, "checkpoints", root.resolve("ckpt"), ".*\\.ckp"));
        List<Path> images = Checkpoints.paths(config, files);
        ViewFiles view = ViewFiles.openReadOnly(config, files);
        try {
            Content content = new Content(new Lanes(config, view, Runnable::run, () -> {}));
            ImageHeader header = null;
            if (!images.isEmpty()) {
                Path newest = images.get(images.size() - 1);
                header = Checkpoints.verify(files, newest);
                Checkpoints.load(files, newest, content);
            }
            return content.stats(kinds, header, lanesMax);
        } finally {
            view.close();
        }
    }

    private static FileKind kind(StoreFiles files, String kind, Path folder, String names) throws IOException {
        long count = 0;
        long bytes = 0;
        for (String name : files.list(folder)) {
            if (name.matches(names)) {
                count++;
                try (StoreFile file = files.open(folder.resolve(name), OpenMode.READ)) {
                    bytes += file.size();
                }
            }
        }
        return new FileKind(kind, count, bytes);
    }

    private static final class Content implements ImageVisitor {
        private final Lanes lanes;
        private long metadata;

        private Content(Lanes lanes) {
            this.lanes = lanes;
        }

        @Override
        public void dropped(byte[] queues) throws IOException {
            lanes.restoreDropped(queues);
        }

        @Override
        public void lane(long laneId, byte[] state) throws IOException {
            lanes.restore(laneId, state);
        }

        @Override
        public void meta(byte[] key, byte[] value) {
            metadata++;
        }

        private StoreStats stats(List<FileKind> kinds, @Nullable ImageHeader header, int lanesMax) {
            List<LaneStats> all = new ArrayList<>();
            for (Lane lane : lanes.unsettled()) {
                all.add(new LaneStats(
                        lane.laneId() >>> 8,
                        (int) (lane.laneId() & 0xFF),
                        lane.cursor().unsettled(),
                        lane.bytes()));
            }
            all.sort(Comparator.comparingLong(LaneStats::bytes).reversed());
            return new StoreStats(
                    kinds,
                    header,
                    all.size(),
                    all.stream().mapToLong(LaneStats::unsettled).sum(),
                    lanes.totals().bytes(),
                    metadata,
                    all.subList(0, Math.min(lanesMax, all.size())));
        }
    }
}
