package io.mainstem.store.spool;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.files.NioFiles;
import io.mainstem.store.files.SmallDisk;
import io.mainstem.store.files.StoreFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("[L-10] the spool: disk space for what need not survive")
final class SpoolTest {
    private static final int FILE_BYTES = 16 * Spool.PAGE_BYTES;

    @TempDir
    Path folder;

    private Spool spool;

    @AfterEach
    void close() {
        if (spool != null) {
            spool.close();
        }
    }

    private void open(StoreFiles disk) throws IOException {
        spool = Spool.open(disk, folder.resolve("spool"), FILE_BYTES);
    }

    private List<String> files() throws IOException {
        if (!Files.exists(folder.resolve("spool"))) {
            return List.of();
        }
        try (Stream<Path> paths = Files.list(folder.resolve("spool"))) {
            return paths.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private CompletableFuture<SpoolBlock> write(byte[]... pieces) {
        CompletableFuture<SpoolBlock> written = new CompletableFuture<>();
        spool.write(
                out -> {
                    for (byte[] piece : pieces) {
                        out.putInt(piece.length);
                        out.put(piece);
                    }
                },
                (block, problem) -> complete(written, block, problem));
        return written;
    }

    @Test
    @DisplayName("[L-10] an error while a block is written is answered and takes no space")
    void anErrorIsAnswered() throws IOException {
        open(new NioFiles());
        CompletableFuture<SpoolBlock> written = new CompletableFuture<>();

        spool.write(
                out -> {
                    out.put(new byte[200_000]);
                    throw new OutOfMemoryError("of the test");
                },
                (block, problem) -> complete(written, block, problem));

        assertThat(written)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withMessageContaining("of the test");
        assertThat(spool.usedBytes()).isZero();
    }

    @Test
    @DisplayName("[L-10] an error while a block is read is answered")
    void anErrorOfAReaderIsAnswered() throws IOException {
        open(new NioFiles());
        SpoolBlock block = write(new byte[10]).join();
        CompletableFuture<String> read = new CompletableFuture<>();

        spool.<String>read(
                block,
                in -> {
                    throw new OutOfMemoryError("of the test");
                },
                (content, problem) -> complete(read, content, problem));

        assertThat(read).failsWithin(Duration.ofSeconds(10)).withThrowableThat().withMessageContaining("of the test");
    }

    private List<byte[]> read(SpoolBlock block) {
        CompletableFuture<List<byte[]>> read = new CompletableFuture<>();
        spool.read(
                block,
                in -> {
                    List<byte[]> pieces = new ArrayList<>();
                    while (in.more()) {
                        pieces.add(in.get(in.getInt()));
                    }
                    return pieces;
                },
                (pieces, problem) -> complete(read, pieces, problem));
        return read.join();
    }

    private static <T> void complete(CompletableFuture<T> future, T value, Exception problem) {
        if (problem == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(problem);
        }
    }

    private static byte[] bytes(long seed, int count) {
        byte[] bytes = new byte[count];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    @Test
    void blocksOfAnySizeComeBackAsTheyWere() throws IOException {
        open(new NioFiles());
        List<Integer> sizes = List.of(0, 1, 4091, 4092, 4093, 65_535, 65_536, 65_537, 300_000);
        List<SpoolBlock> blocks = sizes.stream()
                .map(size -> write(bytes(size, size), bytes(1, 7)).join())
                .toList();

        for (int at = 0; at < sizes.size(); at++) {
            assertThat(read(blocks.get(at))).containsExactly(bytes(sizes.get(at), sizes.get(at)), bytes(1, 7));
        }
    }

    @Test
    @DisplayName("one block that stays does not pin the space of those around it")
    void freedPagesAreUsedAgain() throws IOException {
        open(new NioFiles());
        List<SpoolBlock> blocks = new ArrayList<>();
        for (int count = 0; count < 32; count++) {
            blocks.add(write(bytes(count, 8000)).join());
        }
        assertThat(spool.usedBytes()).isEqualTo(32 * 8192);
        assertThat(files()).hasSize(4);

        spool.free(blocks.subList(1, 31));
        for (int count = 0; count < 14; count++) {
            blocks.set(1 + count, write(bytes(100 + count, 8000)).join());
        }

        assertThat(spool.usedBytes()).isEqualTo(16 * 8192);
        assertThat(files()).as("files that hold nothing are deleted").hasSize(2);
        assertThat(read(blocks.get(0))).containsExactly(bytes(0, 8000));
        assertThat(read(blocks.get(31))).containsExactly(bytes(31, 8000));
        for (int count = 0; count < 14; count++) {
            assertThat(read(blocks.get(1 + count))).containsExactly(bytes(100 + count, 8000));
        }
    }

    @Test
    void nothingIsLeftOnDiskWhenAllIsFreed() throws IOException {
        open(new NioFiles());
        SpoolBlock large = write(bytes(1, 3 * FILE_BYTES)).join();

        spool.free(List.of(large));
        SpoolBlock small = write(bytes(2, 10)).join();
        spool.free(List.of(small));
        write().join();

        assertThat(spool.usedBytes()).isZero();
        assertThat(files()).isEmpty();
    }

    @Test
    void whatAnEarlierRunHasLeftIsWiped() throws IOException {
        open(new NioFiles());
        write(bytes(1, 10_000)).join();
        spool.abandon();
        assertThat(files()).isNotEmpty();

        open(new NioFiles());

        assertThat(files()).isEmpty();
        assertThat(spool.usedBytes()).isZero();
    }

    @Test
    void closingLeavesNothing() throws IOException {
        open(new NioFiles());
        write(bytes(1, 10_000)).join();

        spool.close();

        assertThat(files()).isEmpty();
    }

    @Test
    void aFullDiskFailsTheWriteAndTakesNoSpace() throws IOException {
        SmallDisk disk = new SmallDisk(40_000);
        open(disk);
        SpoolBlock first = write(bytes(1, 20_000)).join();
        long before = spool.usedBytes();

        assertThat(write(bytes(2, 100_000)).handle((block, problem) -> problem).join())
                .isInstanceOf(IOException.class);

        assertThat(spool.usedBytes()).isEqualTo(before);
        assertThat(read(first)).containsExactly(bytes(1, 20_000));
        disk.fill(1 << 20);
        assertThat(read(write(bytes(2, 100_000)).join())).containsExactly(bytes(2, 100_000));
    }

    @Test
    void damageIsNoticed() throws IOException {
        open(new NioFiles());
        SpoolBlock block = write(bytes(1, 10_000)).join();
        Path file = folder.resolve("spool").resolve(files().get(0));
        byte[] all = Files.readAllBytes(file);
        for (int at : new int[] {2, 5000, 10_003}) {
            byte[] damaged = all.clone();
            damaged[at] ^= 1;
            Files.write(file, damaged);

            assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> read(block)))
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(IOException.class);
        }
    }
}
