package io.mainstem.store.shard;

import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.checkpoint.ImageHeader;
import io.mainstem.store.checkpoint.ImageVisitor;
import io.mainstem.store.codec.MalformedException;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.segment.StoreFolder;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.ViewFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks checkpoints and view files of a store that no broker has open, changing nothing: checksums of the images, every
 * block that they point at, and whether the counters by which segments are deleted agree with the entries.
 *
 * <p>Thread: any; blocks.
 */
public final class StateVerification {
    private final StoreConfig config;
    private final StoreFiles files;
    private final List<String> checked = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    private StateVerification(StoreConfig config, StoreFiles files) {
        this.config = config;
        this.files = files;
    }

    /**
     * What was found.
     *
     * @param checked one line a checkpoint, with what is in it
     * @param problems one line each, empty if all is well
     */
    public record Report(List<String> checked, List<String> problems) {}

    /**
     * Checks all checkpoints of the store.
     *
     * @throws IOException if the folder cannot be read at all
     */
    public static Report run(StoreConfig config, StoreFiles files) throws IOException {
        StateVerification verification = new StateVerification(StoreFolder.asMade(files, config), files);
        for (Path path : Checkpoints.paths(config, files)) {
            verification.checkpoint(path);
        }
        if (verification.checked.isEmpty() && verification.problems.isEmpty()) {
            verification.checked.add("no checkpoint yet: the state is that of the log from its beginning");
        }
        return new Report(List.copyOf(verification.checked), List.copyOf(verification.problems));
    }

    private void checkpoint(Path path) {
        try {
            ImageHeader header = Checkpoints.verify(files, path);
            Content content = new Content();
            Checkpoints.load(files, path, content);
            checked.add(path + ": replay from " + header.replayLsn() + ", synced to " + header.syncedLsn()
                    + (header.clean() ? ", clean stop, " : ", ") + content.lanes + " lanes, "
                    + audit(path, content) + " unsettled entries, " + content.keys + " metadata keys");
        } catch (IOException | StoreException | MalformedException e) {
            problems.add(path + ": " + e.getMessage());
        }
    }

    private long audit(Path path, Content content) throws IOException {
        ViewFiles view = ViewFiles.openReadOnly(config, files);
        try {
            Lanes lanes = new Lanes(config, view, Runnable::run, () -> {});
            lanes.restoreDropped(content.dropped);
            for (int i = 0; i < content.ids.size(); i++) {
                lanes.restore(content.ids.get(i), content.states.get(i));
            }
            return lanes.audit(problem -> problems.add(path + ": " + problem));
        } finally {
            view.close();
        }
    }

    private static final class Content implements ImageVisitor {
        private final List<Long> ids = new ArrayList<>();
        private final List<byte[]> states = new ArrayList<>();
        private byte[] dropped = {};
        private int lanes;
        private int keys;

        @Override
        public void dropped(byte[] queues) {
            dropped = queues;
        }

        @Override
        public void lane(long laneId, byte[] state) {
            ids.add(laneId);
            states.add(state);
            lanes++;
        }

        @Override
        public void meta(byte[] key, byte[] value) {
            keys++;
        }
    }
}
