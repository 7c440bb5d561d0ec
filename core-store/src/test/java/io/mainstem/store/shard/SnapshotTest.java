package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Durability;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.FileCopy;
import io.mainstem.store.files.NioFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A copy of a running store that opens as the store would after a power cut. */
final class SnapshotTest {
    @TempDir
    private Path folder;

    private StoreRig rig;

    @BeforeEach
    void open() {
        rig = new StoreRig(folder.resolve("store"), 512, new StoreUpkeep(0, 1000, 0));
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @DisplayName("all that was confirmed before it was asked for is in it, while publishing goes on")
    void takenUnderLoad() {
        rig.publish(200, 20_000);
        rig.settle(0, 50);
        CompletableFuture<Long> taken = ask("snapshot");
        List<SimGroup> meanwhile = new ArrayList<>();
        rig.await(() -> {
            if (!taken.isDone() && meanwhile.size() < 2000) {
                SimGroup group =
                        new SimGroup(0, List.of(StoreRig.message("w", new byte[2000])), List.of(), Durability.SYNC);
                meanwhile.add(group);
                rig.store().submit(group);
            }
            return taken.isDone();
        });
        assertThat(taken.join()).isGreaterThan(200 * 20_000L);

        StoreRig copy = restored("snapshot");

        assertThat(copy.lane().cursor().floor()).isEqualTo(50);
        assertThat(copy.lane().nextIndex()).isBetween(200L, 200L + meanwhile.size());
        for (long index = 50; index < copy.lane().nextIndex(); index++) {
            assertThat(copy.read(index).payload()).isNotEmpty();
        }
        copy.close();
    }

    @Test
    void whatHappensToTheStoreLaterDoesNotReachIt() {
        rig.publish(200, 20_000);
        CompletableFuture<Long> taken = ask("snapshot");
        rig.await(taken::isDone);
        rig.settle(0, 200);
        for (int i = 0; i < 4; i++) {
            rig.checkpoint();
            rig.publish(100, 20_000); // would go into the dead segments' files
        }
        rig.restart();
        rig.settle(200, 600);
        rig.checkpoint();
        rig.checkpoint();
        rig.publish(200, 20_000);

        StoreRig copy = restored("snapshot");

        for (long index = 0; index < 200; index++) {
            assertThat(copy.read(index).payload().get(0)).hasSize(20_000);
        }
        copy.close();
    }

    @Test
    void afterwardsSpaceIsGivenBackAndCheckpointsGoOn() {
        rig.publish(200, 20_000);
        CompletableFuture<Long> taken = ask("snapshot");
        rig.await(taken::isDone);

        rig.settle(0, 199);
        rig.checkpoint();
        rig.checkpoint();

        assertThat(rig.store().parts().log().startLsn()).isPositive();
    }

    @Test
    void aFolderWithSomethingInItIsRefused() throws IOException {
        Files.createDirectories(folder.resolve("full/log"));
        CompletableFuture<Long> taken = ask("full");
        rig.publish(1, 1);
        rig.await(taken::isDone);

        assertThatThrownBy(taken::join).hasMessageContaining("not empty");
    }

    private CompletableFuture<Long> ask(String name) {
        return rig.store().snapshot(folder.resolve(name)).toCompletableFuture();
    }

    /** A copy, as a restore makes it: a snapshot shares files with its store. */
    private StoreRig restored(String name) {
        Path from = folder.resolve(name);
        Path to = folder.resolve("restored");
        FileCopy copy = new FileCopy(new NioFiles());
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    copy.whole(file, target);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new StoreRig(rig.config().in(to));
    }
}
