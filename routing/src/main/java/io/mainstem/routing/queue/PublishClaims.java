package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.dedup.Claim;
import io.mainstem.routing.dedup.Verdict;
import io.mainstem.routing.message.PublishId;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import java.util.ArrayList;
import java.util.List;

/**
 * The publish ids of one transaction: its messages that are stored already are left out, all others are claimed until the
 * commit is on disk. Thread: shard.
 */
final class PublishClaims {
    /** Of a transaction without such messages. */
    static final PublishClaims NONE = new PublishClaims(List.of());

    private static final int MARKS_PER_RECORD = 256;

    private final List<Claim> claims;

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

    static Outcome claim(Shard shard, ShardPeer publisher, List<TransactionSend> sends) {
        List<Claim> claims = new ArrayList<>();
        List<TransactionSend> left = new ArrayList<>(sends.size());
        for (TransactionSend send : sends) {
            PublishId id = send.message().publishId();
            Verdict verdict = id == null
                    ? null
                    : shard.publishedIds().askOfMany(OncePublish.key(publisher, id, send.message()), shard.nowMs());
            if (verdict instanceof Verdict.UnderWay underWay && !claims.contains(underWay.claim())) {
                giveUp(claims);
                return new Outcome.Wait(underWay.claim());
            }
            if (id != null && verdict instanceof Verdict.Forgotten forgotten) {
                giveUp(claims);
                return new Outcome.Refused(OncePublish.forgotten(id, forgotten));
            }
            if (verdict instanceof Verdict.New fresh) {
                claims.add(fresh.claim());
            }
            if (verdict == null || verdict instanceof Verdict.New) {
                left.add(send);
            }
        }
        return new Outcome.Claimed(claims.isEmpty() ? NONE : new PublishClaims(claims), left);
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

    /** The commit is on disk. */
    void stored() {
        claims.forEach(Claim::stored);
    }

    /** There was no commit, or it is not decided yet. */
    void failed() {
        giveUp(claims);
    }

    static void giveUp(List<Claim> claims) {
        claims.forEach(Claim::failed);
    }
}
