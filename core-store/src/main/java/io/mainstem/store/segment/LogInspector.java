package io.mainstem.store.segment;

import io.mainstem.store.DamagedRecordException;
import io.mainstem.store.StoreException;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.StoreFiles.OpenMode;
import io.mainstem.store.segment.SyncedSlots.Slot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log of a store that may be damaged, and changes nothing: no lock, no repair. Every checksum is checked; behind
 * damage it goes on with the next valid batch. On a log that is being written the last batches may look torn.
 *
 * <p>Thread: the caller's.
 */
public final class LogInspector {
    private final StoreFiles files;
    private final Path logDirectory;
    private final StoreMeta meta;
    private final long replayLsn;
    private final Findings to;
    private final List<Damage> gaps = new ArrayList<>();
    private @Nullable Damage openEnd;
    private long vouchedLsn;
    private long startLsn = -1;
    private long tailLsn;
    private long lastEndLsn = -1;
    private int lastEpoch;
    private long segments;
    private long batches;
    private long records;

    private LogInspector(StoreFiles files, Path directory, StoreMeta meta, long replayLsn, Findings to) {
        this.replayLsn = replayLsn;
        this.files = files;
        this.logDirectory = directory.resolve("log");
        this.meta = meta;
        this.to = to;
    }

    /** Receives what is found, in log order; damages last. All methods do nothing unless overridden. */
    public interface Findings {
        /** A segment file begins. */
        default void segment(FoundSegment segment) {}

        /** A whole, valid batch. */
        default void batch(FoundBatch batch) {}

        /**
         * A record of that batch.
         *
         * @param body a copy of its body; to be asked during the call only
         */
        default void record(FoundRecord record, Supplier<byte[]> body) {}

        /** True if sound records of damaged batches are to be told, too. */
        default boolean salvages() {
            return false;
        }

        /** Before the next record, others may be missing. Where nothing follows, nothing need be. */
        default void gap() {}

        /** A place where no valid batch stands although the log goes on, or went on, behind it. */
        default void damage(Damage damage) {}
    }

    /**
     * A segment file.
     *
     * @param fileBytes less than a segment while its space is not filled yet
     * @param baseTimeMs epoch ms, to which its records' times are relative
     * @param valid false if its header is damaged
     */
    public record FoundSegment(String file, long baseLsn, long fileBytes, long baseTimeMs, int epoch, boolean valid) {}

    /**
     * A batch.
     *
     * @param syncedUpTo what was durable when it was written
     */
    public record FoundBatch(long lsn, int bytes, int records, long index, int epoch, long syncedUpTo) {}

    /**
     * A record.
     *
     * @param type code on disk, see {@link io.mainstem.store.RecordType}
     * @param timeMs epoch ms
     */
    public record FoundRecord(long lsn, int type, int flags, int epoch, int bodyBytes, long timeMs) {}

    /**
     * A damaged range.
     *
     * @param untilLsn where valid data goes on, or the end of the range
     * @param durable true if the bytes had been durable: something acknowledged may be lost; false for a torn tail, which
     *     the next start cuts
     */
    public record Damage(String file, long lsn, long untilLsn, String what, boolean durable) {}

    /**
     * What was found in all.
     *
     * @param vouchedLsn the log was durable up to here, as its batches and {@code ckpt/synced} say
     * @param durableDamages damages of durable data
     * @param tornTails damages of data that nobody was promised
     */
    public record Summary(
            long startLsn,
            long tailLsn,
            long vouchedLsn,
            long segments,
            long batches,
            long records,
            long durableDamages,
            long tornTails) {}

    /**
     * Walks through the whole log.
     *
     * @param directory the store's folder
     * @param replayLsn where the newest sound checkpoint has the log read from; files before it may have gone
     * @throws StoreException MS-0203 if the folder holds no store or its meta file is damaged, MS-0208 if it is too new
     */
    public static Summary inspect(StoreFiles files, Path directory, long replayLsn, Findings to) throws IOException {
        return inspect(files, directory, directory, replayLsn, to);
    }

    /** As above, where {@code ckpt/synced} is still in the folder of the store that this is a copy of. */
    public static Summary inspect(StoreFiles files, Path directory, Path noted, long replayLsn, Findings to)
            throws IOException {
        StoreFolder.requireStore(files, directory);
        LogInspector inspector = new LogInspector(files, directory, StoreMeta.read(files, directory), replayLsn, to);
        Slot slot = SyncedSlots.read(files, noted);
        inspector.vouchedLsn = slot == null ? 0 : slot.syncedLsn();
        if (slot == null) {
            String file = "ckpt/" + SyncedSlots.FILE;
            inspector.gaps.add(new Damage(file, 0, 0, "missing or damaged: the store is not whole", true));
        }
        return inspector.walk();
    }

    private Summary walk() throws IOException {
        CompactedFiles found = CompactedFiles.find(files, logDirectory, meta);
        TreeMap<String, @Nullable CompactedFile> names = new TreeMap<>();
        found.segments().forEach(name -> names.put(name, null));
        found.counting().forEach(each -> names.put(each.name(), each.file()));
        for (Map.Entry<String, @Nullable CompactedFile> each : names.entrySet()) {
            CompactedFile compacted = each.getValue();
            long base = Segment.baseOf(each.getKey());
            if (lastEndLsn >= 0 && base != lastEndLsn) {
                to.gap();
            }
            missing(Math.max(lastEndLsn, meta.layout().baseOf(replayLsn)), base);
            lastEndLsn = compacted == null
                    ? base + meta.layout().segmentBytes()
                    : compacted.header().endLsn();
            if (compacted == null) {
                segment(each.getKey(), Segment.baseOf(each.getKey()));
            } else {
                compacted(each.getKey(), compacted);
            }
        }
        for (String name : found.unusable()) {
            long base = Segment.baseOf(name);
            gaps.add(new Damage(name, base, base + meta.layout().segmentBytes(), "both headers are damaged", true));
        }
        long durable = 0;
        for (Damage gap : gaps) {
            boolean promised = gap.durable() || gap.lsn() < vouchedLsn;
            durable += promised ? 1 : 0;
            to.damage(new Damage(gap.file(), gap.lsn(), gap.untilLsn(), gap.what(), promised));
        }
        if (vouchedLsn > tailLsn) {
            durable++;
            to.damage(new Damage(
                    Segment.fileName(meta.layout().baseOf(tailLsn)),
                    tailLsn,
                    vouchedLsn,
                    "the log ends before what was durable",
                    true));
        }
        return new Summary(
                Math.max(startLsn, 0), tailLsn, vouchedLsn, segments, batches, records, durable, gaps.size() - durable);
    }

    private void missing(long from, long to) {
        for (long at = from; at < to; at += meta.layout().segmentBytes()) {
            long end = at + meta.layout().segmentBytes();
            gaps.add(new Damage(Segment.fileName(at), at, end, "the file is missing", true));
        }
    }

    private void segment(String name, long baseLsn) throws IOException {
        try (StoreFile file = files.open(logDirectory.resolve(name), OpenMode.READ)) {
            SegmentHeader header = headerOf(file, baseLsn);
            boolean valid = header != null;
            long baseTime = header == null ? 0 : header.baseTimeMs();
            segments++;
            startLsn = startLsn < 0 ? baseLsn : startLsn;
            to.segment(
                    new FoundSegment(name, baseLsn, file.size(), baseTime, header == null ? 0 : header.epoch(), valid));
            if (!valid) {
                gaps.add(new Damage(name, baseLsn, baseLsn + SegmentHeader.BYTES, "damaged segment header", false));
            }
            batches(name, new BatchScanner(meta.layout(), meta.store(), file, baseLsn), baseLsn, baseTime);
        }
    }

    /** Records stand on their own there; the batches they came in are gone. */
    private void compacted(String name, CompactedFile file) throws IOException {
        CompactedHeader header = file.header();
        segments++;
        startLsn = startLsn < 0 ? header.baseLsn() : startLsn;
        tailLsn = Math.max(tailLsn, header.endLsn());
        to.segment(new FoundSegment(name, header.baseLsn(), file.fileBytes(), 0, header.epoch(), true));
        if (file.rebuilt() != null) {
            gaps.add(new Damage(name, header.baseLsn(), header.endLsn(), file.rebuilt(), true));
        }
        Path path = logDirectory.resolve(name);
        try (RecordSource source = RecordSource.of(files, path, file, meta.store())) {
            for (int i = 0; i < file.survivors().size(); i++) {
                long lsn = file.survivors().lsn(i);
                try {
                    report(source.record(lsn), lsn, file);
                } catch (DamagedRecordException e) {
                    gaps.add(new Damage(name, lsn, lsn + RecordHeader.BYTES, "damaged record", true));
                }
            }
        }
    }

    private void report(ByteBuffer record, long lsn, CompactedFile file) {
        ByteBuffer bytes = record.slice().order(ByteOrder.LITTLE_ENDIAN);
        RecordHeader header = RecordHeader.decode(bytes, 0, lsn, new HeaderChecksum(meta.store()));
        if (header == null) {
            return; // it has been checked
        }
        records++;
        long time = file.baseTimeMs(lsn) + Integer.toUnsignedLong(header.timeMs());
        to.record(new FoundRecord(lsn, header.type(), header.flags(), header.epoch(), header.bodyBytes(), time), () -> {
            byte[] body = new byte[header.bodyBytes()];
            bytes.get(RecordHeader.BYTES, body);
            return body;
        });
    }

    private @Nullable SegmentHeader headerOf(StoreFile file, long baseLsn) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.BYTES);
        file.read(bytes, 0);
        SegmentHeader header = SegmentHeader.decode(bytes.flip());
        boolean ours = header != null && header.store().equals(meta.store()) && header.baseLsn() == baseLsn;
        return ours ? header : null;
    }

    private void batches(String name, BatchScanner scanner, long baseLsn, long baseTime) throws IOException {
        long end = baseLsn + meta.layout().segmentBytes();
        long at = meta.layout().firstBatch(baseLsn);
        while (at + RecordHeader.BYTES <= end) {
            ScannedBatch batch = scanner.batchAt(at);
            if (batch != null) {
                report(batch, baseTime);
                at = batch.endLsn();
                tailLsn = at;
                continue;
            }
            if (scanner.padAt(at)) {
                return;
            }
            openEnd = new Damage(name, at, end, "what was behind it is not there", true);
            String what = scanner.reason();
            boolean broken = scanner.batchRecordStandsAt(at);
            long next = scanner.findBatchRecord(at + meta.layout().batchAlign());
            to.gap();
            if (to.salvages()) {
                soundOnes(scanner, at, next < 0 ? end : next, baseTime);
            }
            if (next < 0 && !broken) {
                return;
            }
            long until = next < 0
                    ? meta.layout().batchStart(at + scanner.headerAt(at).bytes())
                    : next;
            gaps.add(new Damage(name, at, until, what, false));
            if (next < 0) {
                return;
            }
            at = next;
        }
    }

    private boolean noGapIn(Damage end) {
        return gaps.stream().noneMatch(gap -> gap.lsn() == end.lsn());
    }

    /** Records name their LSN under their own checksum, so one can stand without its batch. */
    private void soundOnes(BatchScanner scanner, long from, long until, long baseTime) throws IOException {
        long at = from;
        boolean skipped = false;
        while (at + RecordHeader.BYTES <= until) {
            RecordHeader header = scanner.recordAt(at);
            if (header == null || header.epoch() < lastEpoch || at + header.recordBytes() > until) {
                skipped = true;
                at += LogLayout.RECORD_ALIGN;
                continue;
            }
            if (skipped) {
                to.gap();
            }
            skipped = false;
            long lsn = at;
            records++;
            long time = baseTime + Integer.toUnsignedLong(header.timeMs());
            byte[] body = scanner.bodyOf(header);
            to.record(
                    new FoundRecord(lsn, header.type(), header.flags(), header.epoch(), header.bodyBytes(), time),
                    body::clone);
            at += header.recordBytes();
        }
        to.gap();
    }

    private void report(ScannedBatch batch, long baseTime) {
        BatchHeader header = batch.header();
        if (openEnd != null && batch.lsn() >= openEnd.untilLsn() && noGapIn(openEnd)) {
            gaps.add(openEnd);
        }
        openEnd = null;
        // A file is synced before the next one is begun.
        vouchedLsn = Math.max(vouchedLsn, meta.layout().baseOf(batch.lsn()));
        lastEpoch = Math.max(lastEpoch, batch.epoch());
        batches++;
        vouchedLsn = Math.max(vouchedLsn, header.syncedUpTo());
        to.batch(new FoundBatch(
                batch.lsn(), header.bytes(), header.records(), header.index(), batch.epoch(), header.syncedUpTo()));
        for (RecordHeader record : batch.records()) {
            records++;
            long time = baseTime + Integer.toUnsignedLong(record.timeMs());
            to.record(
                    new FoundRecord(
                            record.lsn(), record.type(), record.flags(), record.epoch(), record.bodyBytes(), time),
                    () -> batch.body(record));
        }
    }
}
