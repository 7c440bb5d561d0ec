package io.mainstem.routing.queue;

import io.mainstem.routing.ErrorKind;
import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.StoreState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a transaction stores, as one group: after a crash all of it counts or none. Submitted by the event loop or
 * the shard, completed on the shard.
 */
final class TransactionCommit extends RecordGroup {
    private final Shard shard;
    private final TransactionWork work;
    private final TransactionSends content;
    private final PublishClaims claims;
    private final Reply<@Nullable Void> reply;

    /** @param settlements frames behind those of the messages; with them and the marks there is at least one */
    TransactionCommit(
            Shard shard,
            TransactionWork work,
            TransactionSends content,
            List<Frame> settlements,
            PublishClaims claims,
            Reply<@Nullable Void> reply) {
        super(joined(content.frames(), settlements, claims.frames()), Durability.SYNC);
        this.shard = shard;
        this.work = work;
        this.content = content;
        this.claims = claims;
        this.reply = reply;
    }

    private static List<Frame> joined(List<Frame> messages, List<Frame> settlements, List<Frame> marks) {
        List<Frame> all = new ArrayList<>(messages);
        all.addAll(settlements);
        all.addAll(marks);
        return all;
    }

    @Override
    public void onApplied() {
        content.release();
        work.applied(content);
        reply.done();
        claims.stored();
    }

    @Override
    public void onFailed(StoreState why) {
        content.release();
        claims.failed();
        String reason = shard.store().stateReason();
        if (why == StoreState.DISK_CRITICAL) {
            work.undo();
            reply.refused(
                    ErrorKind.ROLLED_BACK,
                    "MS-0360",
                    "the transaction was rolled back: " + reason + ".",
                    "free disk space, then do it again.");
        } else {
            shard.storeFailed();
            reply.refused(
                    ErrorKind.UNAVAILABLE,
                    "MS-0362",
                    "the log has failed while the transaction was committed, the outcome is unknown: " + reason + ".",
                    "restart the broker, then look whether it took effect.");
        }
    }
}
