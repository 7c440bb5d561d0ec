package io.mainstem.routing.queue;

import io.mainstem.routing.dedup.Claim;
import io.mainstem.routing.dedup.PublishKey;
import io.mainstem.routing.dedup.Verdict;
import io.mainstem.routing.message.PublishId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The publish ids of a prepared branch that commits: what others have stored since it was prepared is left out, all else
 * is claimed until the commit is on disk. An id that nobody knows any more does not keep its message back, because what
 * is prepared must be able to commit (ADR 0054). Thread: shard.
 */
final class BranchClaims {
    private final Shard shard;
    private final Set<PublishKey> keys = new LinkedHashSet<>();
    private final Set<PublishKey> storedSince = new HashSet<>();
    private PublishClaims claims = PublishClaims.NONE;

    BranchClaims(Shard shard, PreparedBranches.Waiting waiting) {
        this.shard = shard;
        for (PreparedBranch.Waiting message : waiting.branch.messages()) {
            add(message.key());
        }
        for (TransactionSend send : waiting.inMemory.sends()) {
            add(key(waiting, send));
        }
    }

    private void add(@Nullable PublishKey key) {
        if (key != null) {
            keys.add(key);
        }
    }

    /** The key of a message that is in memory, or null. */
    private static @Nullable PublishKey key(PreparedBranches.Waiting waiting, TransactionSend send) {
        PublishId id = send.message().publishId();
        TransactionWork work = waiting.work;
        return id == null || work == null ? null : OncePublish.key(work.peer(), id, send.message());
    }

    /** Does it, maybe at once, when no other publish with one of the ids is under way. They are asked for turn by turn. */
    void whenClaimed(Runnable then) {
        List<Claim> claimed = new ArrayList<>();
        Iterator<PublishKey> left = keys.iterator();
        storedSince.clear();
        shard.work().begin(budget -> {
            while (left.hasNext()) {
                if (budget.spent()) {
                    return false;
                }
                budget.spend(1);
                PublishKey key = left.next();
                Verdict verdict = shard.publishedIds().askOfMany(key, shard.nowMs());
                if (verdict instanceof Verdict.UnderWay underWay) {
                    PublishClaims.giveUp(claimed);
                    underWay.claim().whenEnded(() -> whenClaimed(then));
                    return true;
                }
                if (verdict instanceof Verdict.New fresh) {
                    claimed.add(fresh.claim());
                } else if (verdict instanceof Verdict.Stored) {
                    storedSince.add(key);
                }
            }
            claims = new PublishClaims(claimed);
            then.run();
            return true;
        });
    }

    /** False if somebody else has stored it since. */
    boolean publishes(PreparedBranch.Waiting message) {
        return !storedSince.contains(message.key());
    }

    /** As above, of one that is in memory. */
    boolean publishes(PreparedBranches.Waiting waiting, TransactionSend send) {
        return !storedSince.contains(key(waiting, send));
    }

    /** What is claimed now. */
    PublishClaims claims() {
        return claims;
    }
}
