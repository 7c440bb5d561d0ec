package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreState;
import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.view.LaneDigest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Older checkpoint + replay = live state: to be called by every test in place of {@link ShardStore#close}.
 *
 * <p>Closes the store, opens it again from its newest and from its older checkpoint, and compares lanes, acks, failure
 * counts, counters and metadata each time. Leaves the folder as a crash after the close would.
 */
public final class StoreStateCheck {
    private final StoreConfig config;
    private final StoreFiles files;

    private StoreStateCheck(StoreConfig config, StoreFiles files) {
        this.config = config;
        this.files = files;
    }

    /** Closes and compares; only closes if the store has failed. */
    public static void closeAndCompare(ShardStore store, StoreConfig config, StoreFiles files) {
        LocalShardStore local = (LocalShardStore) store;
        StoreStateCheck check = new StoreStateCheck(config, files);
        // What was submitted and not folded yet would be folded by the close.
        drain(local);
        boolean failed = local.state() == StoreState.FAILED;
        Map<String, String> live = failed ? Map.of() : check.digest(local);
        local.close();
        if (!failed) {
            try {
                check.compare(live);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void drain(LocalShardStore store) {
        while (store.state() != StoreState.FAILED
                && store.parts().log().drainedLsn() < store.parts().log().writtenLsn()) {
            if (store.poll(Integer.MAX_VALUE) == 0) {
                LockSupport.parkNanos(100_000);
            }
        }
    }

    private void compare(Map<String, String> live) throws IOException {
        assertThat(reopened()).as("state from the newest checkpoint").isEqualTo(live);
        List<Path> checkpoints = Checkpoints.paths(config, files);
        if (checkpoints.size() == 2) {
            Path newest = checkpoints.get(1);
            Path aside = newest.resolveSibling("aside");
            files.renameDurably(newest, aside);
            assertThat(reopened()).as("state from the older checkpoint").isEqualTo(live);
            files.renameDurably(aside, newest);
        }
    }

    private Map<String, String> reopened() {
        LocalShardStore store = LocalShardStore.open(config, files, InstantSource.system());
        try {
            return digest(store);
        } finally {
            store.abandon();
        }
    }

    private Map<String, String> digest(LocalShardStore store) {
        try {
            Map<String, String> digest =
                    LaneDigest.of(store.parts().lanes(), store.parts().view());
            store.meta()
                    .forEach((key, value) ->
                            digest.put("meta " + key, HexFormat.of().formatHex(value)));
            return digest;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
