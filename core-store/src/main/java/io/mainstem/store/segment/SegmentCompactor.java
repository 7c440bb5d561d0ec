package io.mainstem.store.segment;

import io.mainstem.store.RecordBody;
import io.mainstem.store.StoreException;
import io.mainstem.store.codec.MalformedException;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.StoreFiles.OpenMode;
import io.mainstem.store.files.Throttle;
import io.mainstem.store.segment.CommitLog.CompactionResult;
import io.mainstem.store.segment.CommitLog.LogRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies the live records of adjacent sealed segments into one file and puts it in their place; no LSN changes, so nothing
 * that points into the log has to know.
 *
 * <pre>
 * 1. &lt;base&gt;.gNNNN.tmp: records verbatim, index, header; synced     a crash leaves a draft, removed at start
 * 2. renamed to &lt;base&gt;.gNNNN, directory synced                    from here on it counts: its header says for what
 * 3. readers are sent to it                                        a crash leaves both, the older files are removed
 * 4. the files it stands for go to the pool, or are removed           at start
 * </pre>
 *
 * <p>Thread: one background thread; readers run meanwhile.
 */
final class SegmentCompactor {
    /** Less gain is not worth a copy: the file that is left must be at most so many percent of those before. */
    private static final int WORTH_PERCENT = 85;

    /** Where so many files become one, that is gain enough. */
    private static final int WORTH_FILES = 8;

    private static final int BUFFER_BYTES = 256 << 10;

    private final StoreFiles files;
    private final SegmentTable table;
    private final StoreMeta meta;
    private final LogReader reader;
    private final Path logDirectory;

    SegmentCompactor(StoreFiles files, Path directory, SegmentTable table, StoreMeta meta, LogReader reader) {
        this.files = files;
        this.logDirectory = directory.resolve("log");
        this.table = table;
        this.meta = meta;
        this.reader = reader;
    }

    /** What a run has done, and the segments that are to be given back. */
    record Outcome(CompactionResult result, List<Segment> replaced) {}

    /**
     * Compacts all segments between the ends of {@code live}.
     *
     * @throws StoreException MS-0206 if a live record is damaged; nothing has changed then
     * @throws IOException nothing has changed unless the rename itself failed, and then either file serves
     */
    Outcome run(LiveRecords live, Throttle throttle) throws IOException {
        List<Segment> sources = table.between(live.baseLsn(), live.endLsn());
        check(live, sources);
        long before = sources.stream().mapToLong(Segment::fileBytes).sum();
        keepParts(live, throttle);
        int generation =
                1 + sources.stream().mapToInt(Segment::generation).max().orElse(0);
        Path target = logDirectory.resolve(CompactedHeader.fileName(live.baseLsn(), generation));
        Path draft = target.resolveSibling(target.getFileName() + ".tmp");
        CompactedFile made;
        try {
            made = write(draft, live, sources, generation, before, throttle);
        } catch (IOException | RuntimeException e) {
            files.delete(draft);
            throw e;
        }
        boolean worth = made.fileBytes() <= before / 100.0 * WORTH_PERCENT || sources.size() >= WORTH_FILES;
        if (!worth) {
            files.delete(draft);
            return new Outcome(
                    new CompactionResult(before, before, made.survivors().size(), false), List.of());
        }
        files.renameDurably(draft, target);
        table.replace(sources, new Segment(made, target, files.open(target, OpenMode.READ)));
        CompactionResult result =
                new CompactionResult(before, made.fileBytes(), made.survivors().size(), true);
        return new Outcome(result, sources);
    }

    private void check(LiveRecords live, List<Segment> sources) {
        boolean whole = !sources.isEmpty()
                && sources.get(0).baseLsn() == live.baseLsn()
                && sources.get(sources.size() - 1).endLsn() == live.endLsn()
                && sources.stream().allMatch(Segment::sealed);
        if (!whole) {
            throw new IllegalArgumentException(
                    "stretch: " + live.baseLsn() + " to " + live.endLsn() + " (expected: whole sealed segments)");
        }
    }

    private void keepParts(LiveRecords live, Throttle throttle) throws IOException {
        for (long listing : live.listings()) {
            if (table.covering(listing) == null) {
                continue; // settled since, and its segment is gone
            }
            LogRecord record = reader.readNow(listing, 0);
            throttle.take(record.body().length);
            for (long part : parts(record)) {
                live.keep(part);
            }
        }
    }

    private static long[] parts(LogRecord listing) {
        try {
            return RecordBody.partList(listing.body()).lsn();
        } catch (MalformedException e) {
            throw new StoreException(
                    "MS-0231",
                    "the record at " + listing.lsn() + " is sound but cannot be understood: " + e.getMessage() + ".",
                    "start the version that wrote it; keep the data folder for a report.",
                    e);
        }
    }

    private CompactedFile write(
            Path draft, LiveRecords live, List<Segment> sources, int generation, long before, Throttle throttle)
            throws IOException {
        files.delete(draft);
        try (StoreFile file = files.open(draft, OpenMode.CREATE_NEW)) {
            Output out = new Output(file, throttle, before);
            copy(live, sources, out, throttle);
            out.flush();
            List<CompactedFile.Source> origins = origins(sources);
            ByteBuffer index = CompactedFile.encodeIndex(origins, out.survivors);
            int epoch = sources.stream().mapToInt(Segment::epoch).max().orElse(0);
            CompactedHeader header = new CompactedHeader(
                    meta.store(), meta.logId(), live.baseLsn(), live.endLsn(), epoch, generation, out.position());
            out.write(index);
            out.write(CompactedFile.encodeMarks(live.marks().toBytes()));
            out.write(header.encode());
            file.write(header.encode(), 0);
            file.sync();
            return new CompactedFile(header, origins, out.survivors, out.position(), null);
        }
    }

    private void copy(LiveRecords live, List<Segment> sources, Output out, Throttle throttle) throws IOException {
        LiveRecords.Lsns lsns = live.lsns();
        RecordSource source = null;
        try {
            int next = 0;
            long sourceEnd = -1;
            while (lsns.hasNext() && !out.hopeless()) {
                long lsn = lsns.next();
                while (lsn >= sourceEnd) {
                    if (source != null) {
                        source.close();
                    }
                    Segment segment = sources.get(next++);
                    sourceEnd = segment.endLsn();
                    source = lsn < sourceEnd ? RecordSource.of(files, segment, meta.store(), throttle) : null;
                }
                if (source != null) {
                    out.add(lsn, source.record(lsn));
                }
            }
        } finally {
            if (source != null) {
                source.close();
            }
        }
    }

    private static List<CompactedFile.Source> origins(List<Segment> sources) {
        List<CompactedFile.Source> origins = new ArrayList<>();
        for (Segment segment : sources) {
            CompactedFile compacted = segment.compacted();
            if (compacted == null) {
                origins.add(new CompactedFile.Source(segment.baseLsn(), segment.baseTimeMs()));
            } else {
                origins.addAll(compacted.sources());
            }
        }
        return origins;
    }

    /** Collects records and writes them in large pieces. */
    private static final class Output {
        private final StoreFile file;
        private final Throttle throttle;
        private final long bytesMax;
        private final SurvivorIndex survivors = new SurvivorIndex(0);
        private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        private long written = CompactedHeader.BYTES;

        private Output(StoreFile file, Throttle throttle, long before) {
            this.file = file;
            this.throttle = throttle;
            this.bytesMax = before;
        }

        long position() {
            return written + buffer.position();
        }

        /** The copy is as large as what it replaces: copying on would only cost. */
        boolean hopeless() {
            return position() > bytesMax;
        }

        void add(long lsn, ByteBuffer record) throws IOException {
            survivors.add(lsn, position());
            if (record.remaining() > buffer.remaining()) {
                flush();
            }
            if (record.remaining() > buffer.capacity()) {
                write(record);
            } else {
                buffer.put(record);
            }
        }

        void flush() throws IOException {
            write(buffer.flip());
            buffer.clear();
        }

        void write(ByteBuffer bytes) throws IOException {
            int count = bytes.remaining();
            if (count > 0) {
                throttle.take(count);
                file.write(bytes, written);
                written += count;
            }
        }
    }
}
