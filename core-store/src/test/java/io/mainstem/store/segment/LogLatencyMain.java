package io.mainstem.store.segment;

import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.RecordType;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreState;
import io.mainstem.store.files.NioFiles;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the log alone on a disk: a bare append + fdatasync loop, one durable 1 KiB message in flight, 256 in flight.
 * Arguments: folder, seconds per part. Prints a table.
 */
final class LogLatencyMain {
    private static final int BODY_BYTES = 1024;

    private LogLatencyMain() {}

    /** Runs the three parts twice, so that the second run is warm. */
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        double seconds = Double.parseDouble(args[1]);
        System.out.println("part | p50 us | p90 us | p99 us | per second");
        for (int round = 0; round < 2; round++) {
            bare(folder, seconds);
            log(folder, 1, seconds);
            log(folder, 256, seconds);
        }
    }

    private static void bare(Path folder, double seconds) throws IOException {
        NioFiles files = new NioFiles();
        Path path = folder.resolve("bare");
        Samples samples = new Samples(seconds);
        try (StoreFile file = files.open(path, OpenMode.CREATE_NEW)) {
            ByteBuffer block = ByteBuffer.allocateDirect(4096);
            for (long at = 0; samples.running(); at += block.capacity()) {
                long start = System.nanoTime();
                file.write(block.clear(), at);
                file.sync();
                samples.add(System.nanoTime() - start);
            }
        }
        Files.delete(path);
        samples.print("bare 4 KiB append + fdatasync");
    }

    private static void log(Path folder, int inFlight, double seconds) throws IOException {
        Path directory = Files.createTempDirectory(folder, "log");
        SegmentedLog log = SegmentedLog.open(
                new NioFiles(), StoreConfig.defaults(directory), InstantSource.system(), 0, 0, group -> {});
        Thread applier = Thread.currentThread();
        log.attach(() -> LockSupport.unpark(applier));
        Samples samples = new Samples(seconds);
        Load load = new Load(log, samples);
        load.start(inFlight);
        while (load.open > 0) {
            if (log.drain(load, 1024) == 0) {
                LockSupport.park();
            } else {
                load.submitNext();
            }
        }
        log.close();
        samples.print("log, " + inFlight + " in flight");
        deleteAll(directory);
    }

    private static void deleteAll(Path directory) throws IOException {
        try (var paths = Files.walk(directory)) {
            for (Path path : paths.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(path);
            }
        }
    }

    /** Keeps a number of messages in flight. */
    private static final class Load implements CommitLog.DrainedGroups {
        private final SegmentedLog log;
        private final Samples samples;
        private final byte[] body = new byte[BODY_BYTES];
        private int open;
        private int done;

        Load(SegmentedLog log, Samples samples) {
            this.log = log;
            this.samples = samples;
        }

        void start(int inFlight) {
            done = inFlight;
            submitNext();
        }

        void submitNext() {
            boolean more = samples.running();
            for (; done > 0; done--) {
                if (more) {
                    log.submit(new Timed(body));
                    open++;
                }
            }
        }

        @Override
        public void durable(RecordGroup group) {
            samples.add(System.nanoTime() - ((Timed) group).submitted);
            open--;
            done++;
        }

        @Override
        public void failed(RecordGroup group, StoreState why) {
            throw new IllegalStateException(why.toString());
        }
    }

    private static final class Timed extends RecordGroup {
        private final long submitted = System.nanoTime();

        Timed(byte[] body) {
            super(List.of(new Frame(RecordType.MSG, 0, List.of(body))), Durability.SYNC);
        }

        @Override
        public void onApplied() {
            // Counted by the load.
        }

        @Override
        public void onFailed(StoreState why) {
            // As above.
        }
    }

    private static final class Samples {
        private final long start = System.nanoTime();
        private final long nanos;
        private long[] values = new long[1 << 16];
        private int count;

        Samples(double seconds) {
            nanos = (long) (seconds * 1e9);
        }

        boolean running() {
            return System.nanoTime() - start < nanos;
        }

        void add(long value) {
            if (count == values.length) {
                values = Arrays.copyOf(values, count * 2);
            }
            values[count++] = value;
        }

        void print(String part) {
            double took = (System.nanoTime() - start) / 1e9;
            Arrays.sort(values, 0, count);
            System.out.printf("%s | %d | %d | %d | %.0f%n", part, at(0.5), at(0.9), at(0.99), count / took);
        }

        private long at(double quantile) {
            return values[(int) (count * quantile)] / 1000;
        }
    }
}
