package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.NioFiles;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("[architecture, threads] the shard never waits for a disk")
final class FilesOffTheShardTest {
    private final Thread shard = Thread.currentThread();
    private final Set<String> calls = new ConcurrentSkipListSet<>();
    private final Set<String> elsewhere = new ConcurrentSkipListSet<>();

    @TempDir
    private Path folder;

    /** {@code real}, but the shard's calls are noted. */
    private <T> T watched(Class<T> type, T real) {
        Object watched = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            (Thread.currentThread() == shard ? calls : elsewhere).add(type.getSimpleName() + "." + method.getName());
            try {
                Object result = method.invoke(real, args);
                return result instanceof StoreFile file ? watched(StoreFile.class, file) : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
        return type.cast(watched);
    }

    @Test
    @DisplayName(
            "nothing is opened, written, read, removed or asked of a file system on its thread, whatever is going on")
    void noFileIsTouched() {
        StoreUpkeep upkeep = new StoreUpkeep(0, 1000, 0);
        StoreConfig config = new StoreConfig(
                folder.resolve("store"), 1 << 20, 64 << 10, 512, 2, 64 << 20, 1 << 30, 3_600_000, 1, 2, 1000, upkeep);
        StoreRig rig = new StoreRig(config, watched(StoreFiles.class, new NioFiles()));
        calls.clear();
        elsewhere.clear();

        for (int round = 0; round < 5; round++) {
            rig.publish(3000, 100);
            rig.publish(100, 20_000);
            rig.advance(1500);
            rig.background();
            rig.settle(round * 3100L, round * 3100L + 3090);
            rig.checkpoint();
            rig.advance(70_000);
            rig.background();
        }
        var copy = rig.store().snapshot(folder.resolve("copy")).toCompletableFuture();
        rig.await(copy::isDone);
        rig.read(5 * 3100 - 1);
        rig.checkpoint();

        assertThat(new TreeSet<>(calls)).as("on the shard").isEmpty();
        rig.await(() -> elsewhere.contains("StoreFiles.usableBytes"));
        assertThat(elsewhere)
                .as("elsewhere")
                .contains(
                        "StoreFiles.open", "StoreFiles.delete", "StoreFile.write", "StoreFile.sync", "StoreFiles.link");
        assertThat(config.directory().resolve("view").resolve("00000000000000000001.view"))
                .as("a view file that has gone")
                .doesNotExist();
        rig.store().abandon();
    }
}
