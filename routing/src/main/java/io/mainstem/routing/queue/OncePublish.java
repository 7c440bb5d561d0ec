package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.dedup.Claim;
import io.mainstem.routing.dedup.PublishKey;
import io.mainstem.routing.dedup.Verdict;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.PublishId;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.MetaChange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message with a publish id on its way to the shard, which knows whether it is stored already (ADR 0027). If another
 * publish of it is under way, it waits for what becomes of that one. Thread: shard.
 */
final class OncePublish implements Runnable {
    private final Shard shard;
    private final PublishRequest request;
    private final PublishId id;
    private final List<Frame> frames;
    private final @Nullable BrokerException refusal;

    /**
     * @param frames message and what is kept with it; may be none
     * @param refusal why it cannot be stored now, if it is not already; or null
     */
    OncePublish(
            Shard shard, PublishRequest request, PublishId id, List<Frame> frames, @Nullable BrokerException refusal) {
        this.shard = shard;
        this.request = request;
        this.id = id;
        this.frames = frames;
        this.refusal = refusal;
    }

    @Override
    public void run() {
        request.peer().order().hold();
        decide();
    }

    private void decide() {
        Verdict verdict = ask(shard, request.peer(), id, request.message());
        if (verdict instanceof Verdict.New fresh) {
            store(fresh.claim());
        } else if (verdict instanceof Verdict.UnderWay underWay) {
            underWay.claim().whenEnded(this::decide);
            return;
        } else if (verdict instanceof Verdict.Forgotten forgotten) {
            request.notRetained();
            request.answer(PublishResult.Refused.of(forgotten(id, forgotten)));
        } else {
            request.notRetained();
            request.answer(new PublishResult.Stored(0));
        }
        request.peer().order().goOn();
    }

    static Verdict ask(Shard shard, ShardPeer peer, PublishId id, Message message) {
        return shard.publishedIds().ask(key(peer, id, message), shard.nowMs());
    }

    static PublishKey key(ShardPeer peer, PublishId id, Message message) {
        ClientInfo client = peer.client();
        return PublishKey.of(client.virtualHost(), client.user(), id, message.envelope());
    }

    private void store(Claim claim) {
        BrokerException why =
                refusal == null ? shard.limits().refusal(request.destinations(), request.message()) : refusal;
        if (why != null) {
            claim.failed();
            LimitedPublish.refuse(request, why);
            return;
        }
        if (request.destinations().nowhere() && frames.isEmpty()) {
            claim.failed();
            request.notRetained();
            request.answer(new PublishResult.Unroutable());
            return;
        }
        List<Frame> all = new ArrayList<>(frames);
        List<MetaChange> forgotten = claim.forgotten();
        if (!forgotten.isEmpty()) {
            all.add(Frames.meta(forgotten));
        }
        all.add(Frames.mark(List.of(claim.mark())));
        try {
            shard.store().requireWritable(all);
        } catch (IllegalArgumentException tooLarge) {
            claim.failed();
            LimitedPublish.refuse(request, SessionPublishing.tooLarge(tooLarge));
            return;
        }
        Admission admission = shard.limits().admit(request.destinations(), request.message());
        shard.store().submit(new DurablePublish(shard, request, all, claim, admission));
        if (request.destinations().anyInMemory()) {
            request.peer().order().begun();
        }
    }

    static BrokerException forgotten(PublishId id, Verdict.Forgotten forgotten) {
        return new BrokerException(
                ErrorKind.PRECONDITION_FAILED,
                "MS-0372",
                id + ": too far behind what its producer has published since to know whether it is stored;"
                        + " sequences from " + forgotten.oldest() + " on are known.",
                "send again what is in doubt before going on, or use another producer id.");
    }
}
