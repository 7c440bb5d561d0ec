package io.mainstem.routing.queue;

import io.mainstem.routing.message.EnvelopeCodec;
import io.mainstem.routing.message.Message;
import io.mainstem.store.Entry;
import io.mainstem.store.LostRecordException;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreState;
import io.mainstem.store.StoredMessage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads messages back from the log. Only what the record itself proves makes a message a lost one; a read that fails for
 * any other reason, be it that no file could be opened, is done again (ADR 0066). Thread: shard only; the reads complete on
 * the store's read threads and come back through the mailbox.
 */
final class RecordReads {
    private static final Logger LOG = LoggerFactory.getLogger(RecordReads.class);

    /** One a second. */
    private static final int ATTEMPTS_MAX = 60;

    private final ShardStore store;
    private final Consumer<Runnable> shard;
    private final Consumer<Runnable> retries;
    /** Reads that have failed and wait to be done again. */
    private int paused;
    /** That reads fail has been logged, and not yet that they succeed again. */
    private boolean told;

    /**
     * @param shard takes tasks from any thread
     * @param retries does a task on the shard after a pause
     */
    RecordReads(ShardStore store, Consumer<Runnable> shard, Consumer<Runnable> retries) {
        this.store = store;
        this.shard = shard;
        this.retries = retries;
    }

    /** Receives what was read: both, or what proves that there is none. */
    @FunctionalInterface
    interface StoredReader {
        void read(@Nullable StoredMessage stored, @Nullable Message message, @Nullable Throwable problem);
    }

    /**
     * Reads an entry's message and hands it over on the shard thread: the message, or what proves that it is lost. A read
     * that fails for any other reason is done again, after a pause, for a minute. Then the cause is handed over: these reads
     * are in lines of all queues, and one bad sector must not stop the dead letters of everybody. Nobody settles such a
     * message: it stays where it is until the next start.
     */
    void read(Entry entry, BiConsumer<@Nullable Message, @Nullable Throwable> to) {
        readStored(entry, (stored, message, problem) -> to.accept(message, problem));
    }

    /** As {@link #read}, with what the record says beside the message. */
    void readStored(Entry entry, StoredReader to) {
        readStored(entry, to, 1);
    }

    private void readStored(Entry entry, StoredReader to, int attempt) {
        readOnce(entry, to, why -> {
            if (attempt < ATTEMPTS_MAX) {
                pause(entry, why, () -> readStored(entry, to, attempt + 1));
            } else {
                to.read(null, null, why);
            }
        });
    }

    /**
     * Reads it once.
     *
     * @param unread told instead if it could not be read this time; then comes {@link #pause}
     */
    void readOnce(Entry entry, StoredReader to, Consumer<Throwable> unread) {
        store.read(entry).whenComplete((stored, problem) -> {
            Message message = null;
            Throwable lost = problem instanceof LostRecordException ? problem : null;
            Throwable failure = problem;
            if (stored != null) {
                try {
                    message = message(stored);
                } catch (RuntimeException malformed) {
                    lost = malformed;
                } catch (Error noMemory) {
                    failure = noMemory;
                }
            }
            Message read = message;
            Throwable why = lost;
            Throwable passing = failure;
            shard.accept(() -> {
                if (read != null || why != null || passing == null) {
                    succeeded();
                    to.read(stored, read, why);
                } else {
                    unread.accept(passing);
                }
            });
        });
    }

    /** After a pause, does it again. */
    void pause(Entry entry, Throwable why, Runnable again) {
        if (store.state() == StoreState.FAILED || store.state() == StoreState.CLOSED) {
            return; // nobody waits any more
        }
        paused++;
        if (!told) {
            told = true;
            LOG.warn(
                    "MS-0311 log-unread lsn={} cause=\"{}\" fix: check the disk, the limit of open files and the heap; it is"
                            + " tried again each second, until then its queue waits",
                    entry.lsn(),
                    why.toString());
        }
        retries.accept(() -> {
            paused--;
            again.run();
        });
    }

    private void succeeded() {
        if (told && paused == 0) {
            told = false;
            LOG.info("log-read reads of the log succeed again");
        }
    }

    private static Message message(StoredMessage stored) {
        byte[] overrides = stored.overrides();
        byte[] envelope = overrides == null || overrides.length == 0 ? stored.head() : overrides;
        return new Message(EnvelopeCodec.decode(envelope), stored.payload());
    }
}
