package io.mainstem.routing.queue;

import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.dedup.Claim;
import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way into the log: submitted by its event loop, or by the shard if it has a publish id; completed on
 * the shard, answered on the event loop [architecture: acknowledged means on disk].
 */
final class DurablePublish extends LoggedChange implements Runnable {
    private final Shard shard;
    private final PublishRequest request;
    private final @Nullable Claim claim;
    private final Admission admission;
    private @Nullable PublishResult result;

    /** Of a message to queues that take whatever comes. */
    DurablePublish(Shard shard, PublishRequest request, List<Frame> frames) {
        this(shard, request, frames, null, Admission.FREE);
    }

    /**
     * @param claim of its publish id, whose mark is among the frames
     * @param admission to queues that refuse what is too much
     */
    DurablePublish(
            Shard shard, PublishRequest request, List<Frame> frames, @Nullable Claim claim, Admission admission) {
        super(frames, durability(request));
        this.shard = shard;
        this.request = request;
        this.claim = claim;
        this.admission = admission;
    }

    /** A delayed message that no durable queue waits for is in the log to be out of memory. */
    private static Durability durability(PublishRequest request) {
        boolean outOfMemory = request.message().envelope().delayed()
                && request.destinations().stored().isEmpty();
        return outOfMemory ? Durability.WRITE : request.session().durability();
    }

    PublishRequest request() {
        return request;
    }

    /** Where the message stands, if any queue has it stored. */
    long lsn() {
        return frames().get(0).lsn();
    }

    @Override
    public void onApplied() {
        admission.end();
        Destinations destinations = request.destinations();
        result = destinations.nowhere()
                ? new PublishResult.Unroutable()
                : new PublishResult.Stored(destinations.count());
        RetainedChange retained = request.retained();
        if (retained != null) {
            retained.applied();
        }
        shard.publishing().applied(this);
        request.peer().outbox().add(this);
        seen();
        if (claim != null) {
            claim.stored();
        }
    }

    @Override
    void refused() {
        failed(new PublishResult.Refused(ErrorKind.RESOURCE_LIMIT, shard.store().stateReason()));
    }

    @Override
    void inDoubt() {
        failed(new PublishResult.Unknown("the log has failed: " + shard.store().stateReason()));
    }

    private void failed(PublishResult answer) {
        admission.end();
        result = answer;
        request.notRetained();
        request.peer().outbox().add(this);
        seen();
        if (claim != null) {
            claim.failed();
        }
    }

    private void seen() {
        if (request.destinations().anyInMemory()) {
            request.peer().order().seen();
        }
    }

    /** The answer, on the event loop. */
    @Override
    public void run() {
        PublishResult answer = result;
        if (answer != null) {
            request.session().answered(request, answer);
        }
    }
}
