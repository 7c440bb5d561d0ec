package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.dedup.Claim;
import io.mainstem.routing.dedup.Verdict;
import io.mainstem.routing.message.PublishId;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The publish ids of one transaction: its messages that are stored already are left out, all others are claimed until the
 * commit is on disk. Thread: shard.
 */
final class PublishClaims {
    /** Of a transaction without such messages. */
    static final PublishClaims NONE = new PublishClaims(List.of());

    private static final int MARKS_PER_RECORD = 256;

    private final List<Claim> claims;
    private int nextStored;

    PublishClaims(List<Claim> claims) {
        this.claims = claims;
    }

    /** What a transaction comes to. */
    sealed interface Outcome {
        /** @param left what is to be stored */
        record Claimed(PublishClaims claims, List<TransactionSend> left) implements Outcome {}

        /** Others publish one of these; to be asked again as soon as that has ended. */
        record Wait(Claim until) implements Outcome {}

        record Refused(BrokerException why) implements Outcome {}
    }

    /** Asks for one after the other, turn by turn, and tells what it comes to, maybe at once. */
    static void claim(Shard shard, ShardPeer publisher, List<TransactionSend> sends, Consumer<Outcome> then) {
        publisher.work().begin(new Claiming(shard, publisher, sends, then));
    }

    private static final class Claiming implements LongWork {
        private final Shard shard;
        private final ShardPeer publisher;
        private final List<TransactionSend> sends;
        private final Consumer<Outcome> then;
        private final List<Claim> claims = new ArrayList<>();
        private final Set<Claim> own = Collections.newSetFromMap(new IdentityHashMap<>(0));
        private final List<TransactionSend> left;
        private int next;

        Claiming(Shard shard, ShardPeer publisher, List<TransactionSend> sends, Consumer<Outcome> then) {
            this.shard = shard;
            this.publisher = publisher;
            this.sends = sends;
            this.then = then;
            this.left = new ArrayList<>(sends.size());
        }

        @Override
        public boolean goOn(TurnBudget budget) {
            for (; next < sends.size(); next++) {
                TransactionSend send = sends.get(next);
                PublishId id = send.message().publishId();
                if (id == null) {
                    left.add(send);
                    continue;
                }
                if (budget.spent()) {
                    return false;
                }
                budget.spend(1);
                Outcome end = ask(send, id);
                if (end != null) {
                    giveUp(claims);
                    then.accept(end);
                    return true;
                }
            }
            then.accept(new Outcome.Claimed(claims.isEmpty() ? NONE : new PublishClaims(claims), left));
            return true;
        }

        /** Null = it goes on; else nothing is claimed. */
        private @Nullable Outcome ask(TransactionSend send, PublishId id) {
            Verdict verdict =
                    shard.publishedIds().askOfMany(OncePublish.key(publisher, id, send.message()), shard.nowMs());
            if (verdict instanceof Verdict.UnderWay underWay && !own.contains(underWay.claim())) {
                return new Outcome.Wait(underWay.claim());
            }
            if (verdict instanceof Verdict.Forgotten forgotten) {
                return new Outcome.Refused(OncePublish.forgotten(id, forgotten));
            }
            if (verdict instanceof Verdict.New fresh) {
                claims.add(fresh.claim());
                own.add(fresh.claim());
                left.add(send);
            }
            return null;
        }
    }

    /** Records of the marks, for the group of the commit, which has to go to the log then and there. */
    List<Frame> frames() {
        List<Frame> frames = new ArrayList<>(1);
        List<Frame> marks = new ArrayList<>(1);
        for (int from = 0; from < claims.size(); from += MARKS_PER_RECORD) {
            List<Claim> some = claims.subList(from, Math.min(claims.size(), from + MARKS_PER_RECORD));
            frames.addAll(MetaFrames.of(
                    some.stream().flatMap(claim -> claim.forgotten().stream()).toList()));
            marks.add(Frames.mark(some.stream().map(Claim::mark).toList()));
        }
        frames.addAll(marks);
        return frames;
    }

    /** The commit is on disk: some of them; true once it is all. */
    boolean storedSome(TurnBudget budget) {
        for (; nextStored < claims.size(); nextStored++) {
            if (budget.spent()) {
                return false;
            }
            budget.spend(1);
            claims.get(nextStored).stored();
        }
        return true;
    }

    /** There was no commit, or it is not decided yet. */
    void failed() {
        giveUp(claims);
    }

    static void giveUp(List<Claim> claims) {
        claims.forEach(Claim::failed);
    }
}
