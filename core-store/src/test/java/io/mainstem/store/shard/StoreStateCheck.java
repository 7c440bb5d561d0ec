package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Durability;
import io.mainstem.store.Frames;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreState;
import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.view.LaneDigest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
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

    /**
     * A store that does so when it is closed, for tests that hand their store to a broker. What is found wrong is thrown
     * by {@link ShardStore#close}.
     */
    public static ShardStore comparedAtClose(LocalShardStore store, StoreConfig config, StoreFiles files) {
        // A proxy, so that the check stays the same whatever the interface grows to.
        return (ShardStore) Proxy.newProxyInstance(
                ShardStore.class.getClassLoader(), new Class<?>[] {ShardStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        closeAndCompare(store, config, files);
                        return null;
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Compares what the newest and the older checkpoint of a closed store lead to; one alone is only opened. */
    public static void compareCheckpoints(StoreConfig config, StoreFiles files) throws IOException {
        StoreStateCheck check = new StoreStateCheck(config, files);
        check.compare(check.reopened());
    }

    private static void drain(LocalShardStore store) {
        LastGroup last = new LastGroup();
        store.submit(last);
        while (!last.done) {
            if (store.poll(Integer.MAX_VALUE) == 0) {
                LockSupport.parkNanos(100_000);
            }
        }
    }

    /** Changes nothing; done when everything submitted before it is. */
    private static final class LastGroup extends RecordGroup {
        private boolean done;

        LastGroup() {
            super(List.of(Frames.purge(Integer.MAX_VALUE, false)), Durability.WRITE);
        }

        @Override
        public void onApplied() {
            done = true;
        }

        @Override
        public void onFailed(StoreState why) {
            done = true;
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
