package io.mainstem.store.shard;

import io.mainstem.store.Entry;
import io.mainstem.store.LostRecordException;
import io.mainstem.store.RecordBody;
import io.mainstem.store.RecordType;
import io.mainstem.store.StoredMessage;
import io.mainstem.store.codec.MalformedException;
import io.mainstem.store.segment.CommitLog;
import io.mainstem.store.segment.CommitLog.LogRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads messages back: the record, its parts, the overrides of a reference. Thread: any. */
final class MessageReads {
    private final CommitLog log;

    MessageReads(CommitLog log) {
        this.log = log;
    }

    CompletionStage<StoredMessage> read(Entry entry) {
        CompletionStage<StoredMessage> message =
                log.read(entry.lsn(), entry.size()).thenCompose(this::withParts);
        if (entry.isRef()) {
            message = message.thenCombine(log.read(entry.aux(), 0), MessageReads::withOverrides);
        }
        CompletableFuture<StoredMessage> result = new CompletableFuture<>();
        message.whenComplete((read, failure) -> {
            if (failure == null) {
                result.complete(read);
            } else {
                result.completeExceptionally(cause(failure));
            }
        });
        return result;
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause(cause) : failure;
    }

    private CompletionStage<StoredMessage> withParts(LogRecord record) {
        if (!record.isLarge()) {
            return CompletableFuture.completedFuture(message(record));
        }
        RecordBody.PartList list = understand(record, () -> RecordBody.partList(record.body()));
        RecordBody.Message body = decode(record, list.bodyFrom(), RecordType.MSG, RecordBody.Message.class);
        List<CompletableFuture<LogRecord>> parts = new ArrayList<>(list.lsn().length);
        for (int i = 0; i < list.lsn().length; i++) {
            parts.add(log.read(list.lsn()[i], list.bytes()[i]).toCompletableFuture());
        }
        return CompletableFuture.allOf(parts.toArray(new CompletableFuture<?>[0]))
                .thenApply(all -> {
                    List<byte[]> payload = new ArrayList<>(parts.size());
                    for (CompletableFuture<LogRecord> part : parts) {
                        payload.add(checkedPart(record, part.join()));
                    }
                    return stored(record, body, payload);
                });
    }

    private static byte[] checkedPart(LogRecord listing, LogRecord part) {
        if (part.type() != RecordType.MSG_PART.code()) {
            throw damaged(listing, "it lists a part at " + part.lsn() + " that is none", null);
        }
        return part.body();
    }

    private static StoredMessage message(LogRecord record) {
        RecordBody.Message body = decode(record, 0, RecordType.MSG, RecordBody.Message.class);
        byte[] bytes = record.body();
        List<byte[]> payload = body.payloadFrom() == bytes.length
                ? List.of()
                : List.of(Arrays.copyOfRange(bytes, body.payloadFrom(), bytes.length));
        return stored(record, body, payload);
    }

    private static StoredMessage stored(LogRecord record, RecordBody.Message body, List<byte[]> payload) {
        return new StoredMessage(record.lsn(), head(record, body), payload, null, body.expiry(), body.delay());
    }

    private static byte[] head(LogRecord record, RecordBody.Message body) {
        return Arrays.copyOfRange(record.body(), body.headFrom(), body.payloadFrom());
    }

    private static StoredMessage withOverrides(StoredMessage message, LogRecord record) {
        RecordBody.MessageRef ref = decode(record, 0, RecordType.MSG_REF, RecordBody.MessageRef.class);
        byte[] overrides = Arrays.copyOfRange(record.body(), ref.overridesFrom(), record.body().length);
        return new StoredMessage(
                message.lsn(), message.head(), message.payload(), overrides, message.expiry(), message.delay());
    }

    private static <B extends RecordBody> B decode(LogRecord record, int from, RecordType type, Class<B> as) {
        if (record.type() != type.code()) {
            throw damaged(record, "it is of type " + record.type() + ", expected " + type, null);
        }
        return as.cast(understand(record, () -> RecordBody.decode(type, record.body(), from)));
    }

    private static <T> T understand(LogRecord record, Supplier<T> decoding) {
        try {
            return decoding.get();
        } catch (MalformedException e) {
            throw damaged(record, e.getMessage(), e);
        }
    }

    private static LostRecordException damaged(LogRecord record, @Nullable String problem, @Nullable Exception cause) {
        String text = "the record at " + record.lsn() + " is not the message an entry points at: " + problem + ".";
        String fix = "run 'mainstem store verify'; keep the data folder for a report.";
        return cause == null
                ? new LostRecordException("MS-0233", text, fix)
                : new LostRecordException("MS-0233", text, fix, cause);
    }
}
