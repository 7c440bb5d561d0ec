package io.mainstem.store.segment;

import io.mainstem.store.DamagedRecordException;
import io.mainstem.store.LostRecordException;
import io.mainstem.store.StoreException;
import io.mainstem.store.segment.CommitLog.LogRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads single records back, each verified before it leaves. Thread: its own few threads, which nobody interrupts, because
 * an interrupt would close the file for the writer, too.
 */
final class LogReader {
    /** Up to here header and body come with one read. */
    private static final int ONE_READ_BYTES = 64 << 10;

    private final UUID store;
    private final SegmentTable table;
    private final LongSupplier writtenLsn;
    private final ExecutorService pool;
    private volatile LongConsumer onDamage = lsn -> {};

    /** @param pool given over: closing the reader ends it */
    LogReader(UUID store, SegmentTable table, LongSupplier writtenLsn, ExecutorService pool) {
        this.store = store;
        this.table = table;
        this.writtenLsn = writtenLsn;
        this.pool = pool;
    }

    /** So many threads, which are there while there is something to read. */
    static ExecutorService threads(int threads) {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(threads, threads, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "mainstem-log-reader");
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** Told, on a read thread, of every damaged record that somebody wanted. */
    void onDamage(LongConsumer listener) {
        onDamage = listener;
    }

    CompletionStage<LogRecord> read(long lsn, int bodyBytesHint) {
        CompletableFuture<LogRecord> result = new CompletableFuture<>();
        try {
            pool.execute(() -> complete(result, lsn, bodyBytesHint));
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(unread(lsn, "the log is closed", e));
        } catch (Error e) {
            // No thread to be had, say: that is no reason for whoever asks to end.
            result.completeExceptionally(unread(lsn, "there is no thread for it", e));
        }
        return result;
    }

    private void complete(CompletableFuture<LogRecord> result, long lsn, int bodyBytesHint) {
        LogRecord record;
        try {
            record = readNow(lsn, bodyBytesHint);
        } catch (StoreException e) {
            if (e instanceof DamagedRecordException damaged) {
                onDamage.accept(damaged.lsn());
            }
            result.completeExceptionally(e);
            return;
        } catch (IOException | RuntimeException | Error e) {
            // An Error too: whoever waits must not wait for ever.
            result.completeExceptionally(unread(lsn, "the file could not be read", e));
            return;
        }
        result.complete(record);
    }

    /** On the calling thread. */
    LogRecord readNow(long lsn, int bodyBytesHint) throws IOException {
        Segment segment = table.covering(lsn);
        if (segment == null || lsn >= writtenLsn.getAsLong()) {
            throw gone(lsn, "the log holds " + table.startLsn() + " to " + writtenLsn.getAsLong(), null);
        }
        while (true) {
            try {
                return readFrom(segment, lsn, bodyBytesHint);
            } catch (IOException | StoreException e) {
                Segment now = table.covering(lsn);
                if (now == null) {
                    throw gone(lsn, "its segment was recycled meanwhile", e);
                }
                if (now == segment) {
                    throw e;
                }
                segment = now; // compacted meanwhile
            }
        }
    }

    private LogRecord readFrom(Segment segment, long lsn, int bodyBytesHint) throws IOException {
        long position = segment.positionOf(lsn);
        if (position < 0) {
            throw gone(lsn, "compaction has left it out of " + segment.path(), null);
        }
        int first = RecordHeader.BYTES + (bodyBytesHint <= ONE_READ_BYTES ? bodyBytesHint : 0);
        first = (int) Math.min(first, segment.endLsn() - lsn);
        ByteBuffer bytes = ByteBuffer.allocate(first).order(ByteOrder.LITTLE_ENDIAN);
        int read = segment.file().read(bytes, position);
        HeaderChecksum checksum = new HeaderChecksum(store);
        RecordHeader header = read < RecordHeader.BYTES ? null : RecordHeader.decode(bytes, 0, lsn, checksum);
        if (header == null) {
            throw damaged(segment, lsn, "no valid record header");
        }
        byte[] body = new byte[header.bodyBytes()];
        int have = Math.min(read - RecordHeader.BYTES, body.length);
        bytes.get(RecordHeader.BYTES, body, 0, have);
        ByteBuffer rest = ByteBuffer.wrap(body).position(have);
        segment.file().read(rest, position + RecordHeader.BYTES + have);
        if (rest.hasRemaining() || checksum.ofBody(rest, 0, body.length) != header.bodyCrc()) {
            throw damaged(segment, lsn, "bad checksum of the body");
        }
        return new LogRecord(lsn, header.type(), header.flags(), header.epoch(), body);
    }

    static DamagedRecordException damaged(Segment segment, long lsn, String what) {
        return new DamagedRecordException(lsn, segment.path().toString(), what);
    }

    /** It is not in the log. */
    static LostRecordException gone(long lsn, String why, @Nullable Throwable cause) {
        String fix = "none if its message was settled; else see 'mainstem store verify'.";
        return cause == null
                ? new LostRecordException("MS-0207", problem(lsn, why), fix)
                : new LostRecordException("MS-0207", problem(lsn, why), fix, cause);
    }

    /** Not this time, which says nothing about the record. */
    private static StoreException unread(long lsn, String why, Throwable cause) {
        return new StoreException(
                "MS-0207", problem(lsn, why + ": " + cause), "check the disk; it can be tried again.", cause);
    }

    private static String problem(long lsn, String why) {
        return "The record at LSN " + lsn + " cannot be read: " + why + ".";
    }

    /** Lets running reads end. */
    void close() {
        pool.shutdown();
        boolean interrupted = false;
        while (!pool.isTerminated()) {
            try {
                pool.awaitTermination(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
