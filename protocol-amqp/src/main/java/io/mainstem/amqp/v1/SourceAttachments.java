package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Outcome;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.DescribedType;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.SenderSettleMode;
import org.jspecify.annotations.Nullable;

/**
 * Attaches links on which the broker sends: attaches a consumer to what the source names, answers or refuses.
 *
 * <p>Thread: the connection's event loop.
 */
final class SourceAttachments {
    private static final Symbol SELECTOR = Symbol.valueOf("apache.org:selector-filter:string");
    private static final UnsignedLong SELECTOR_CODE = UnsignedLong.valueOf(0x0000468C00000004L);
    private static final Symbol NO_LOCAL = Symbol.valueOf("apache.org:no-local-filter:list");
    private static final UnsignedLong NO_LOCAL_CODE = UnsignedLong.valueOf(0x0000468C00000003L);
    /** A volatile subscription may go with its last consumer just before this one is attached, but not time and again. */
    private static final int ATTEMPTS_MAX = 8;

    private final BrokerSession broker;
    private final Subscriptions subscriptions;
    private final SourceFeeds feeds;
    private final SubscriptionLookup lookup;
    private final ManagementLinks management;

    SourceAttachments(
            BrokerSession broker,
            Subscriptions subscriptions,
            TemporaryNodes temporaryNodes,
            ManagementLinks management) {
        this.broker = broker;
        this.subscriptions = subscriptions;
        this.feeds = new SourceFeeds(broker, subscriptions, temporaryNodes);
        this.lookup = new SubscriptionLookup(broker, subscriptions);
        this.management = management;
    }

    /** The link, not attached yet. */
    OutboundLink link(AmqpSession session, Attach request) {
        Source asked = source(request);
        Outcome onLoss = asked == null ? Outcome.RELEASED : Outcomes.onLoss(asked);
        return new OutboundLink(session, request, request.getSndSettleMode() == SenderSettleMode.SETTLED, onLoss);
    }

    private static @Nullable Source source(Attach request) {
        return request.getSource() instanceof Source source ? source : null;
    }

    void attach(OutboundLink link, Attach request) {
        Source asked = source(request);
        try {
            if (asked == null) {
                lookup.attach(link, request, reply(link, request));
            } else if (ManagementLinks.ADDRESS.equals(asked.getAddress())) {
                management.attachReplies(link, request, reply(link, request));
            } else {
                checkFilters(asked);
                attach(link, request, asked, 1).exceptionally(failure -> {
                    refuse(link, request, AmqpErrors.of(failure));
                    link.session.connection().scheduleFlush();
                    return null;
                });
            }
        } catch (AmqpException refused) {
            refuse(link, request, refused.toErrorCondition());
        }
    }

    private CompletionStage<@Nullable Void> attach(OutboundLink link, Attach request, Source asked, int attempt) {
        return feeds.feed(link.name, asked)
                .thenCompose(feed -> consume(link, request, feed, Outcomes.onLoss(asked))
                        .handle((done, failure) -> {
                            if (failure == null) {
                                return CompletableFuture.<@Nullable Void>completedFuture(null);
                            }
                            boolean again = feed.kind() == Feed.Kind.VOLATILE
                                    && attempt < ATTEMPTS_MAX
                                    && AmqpErrors.isNotFound(failure);
                            return again
                                    ? attach(link, request, asked, attempt + 1)
                                    : CompletableFuture.<@Nullable Void>failedFuture(failure);
                        })
                        .thenCompose(next -> next));
    }

    private static void checkFilters(Source asked) {
        if (asked.getFilter() == null) {
            return;
        }
        // [J-6] By descriptor: clients disagree on the keys. Filters of other kinds are dropped, and so not echoed.
        for (Object filter : ((Map<?, ?>) asked.getFilter()).values()) {
            Object descriptor = filter instanceof DescribedType described ? described.getDescriptor() : null;
            if (SELECTOR.equals(descriptor) || SELECTOR_CODE.equals(descriptor)) {
                throw notImplemented("selectors");
            }
            if (NO_LOCAL.equals(descriptor) || NO_LOCAL_CODE.equals(descriptor)) {
                throw notImplemented("no-local filters");
            }
        }
    }

    private static AmqpException notImplemented(String what) {
        return AmqpException.link(AmqpError.NOT_IMPLEMENTED, "MS-0503 " + what + " are not implemented");
    }

    private CompletionStage<@Nullable Void> consume(OutboundLink link, Attach request, Feed feed, Outcome onLoss) {
        boolean presettled = request.getSndSettleMode() == SenderSettleMode.SETTLED;
        ConsumerSpec spec = new ConsumerSpec(link.name, feed.exclusive(), feed.browse(), presettled, 0, onLoss);
        CompletionStage<ConsumerHandle> attached = broker.consume(feed.queue(), spec, link);
        link.session.connection().scheduleFlush();
        boolean own = feed.kind() == Feed.Kind.OWN;
        return attached.whenComplete((consumer, failure) -> {
                    if (failure != null && own) {
                        subscriptions.drop(feed.queue());
                    }
                })
                .thenAccept(consumer -> {
                    Attach reply = reply(link, request);
                    reply.setSource(feed.granted());
                    link.attached(reply, consumer, feed.browse(), feed.onClosed());
                    if (own && !link.isAttached()) {
                        subscriptions.drop(feed.queue());
                    }
                    link.session.connection().scheduleFlush();
                });
    }

    private static Attach reply(OutboundLink link, Attach request) {
        Attach reply = link.attachReply(request);
        boolean presettled = request.getSndSettleMode() == SenderSettleMode.SETTLED;
        reply.setSndSettleMode(presettled ? SenderSettleMode.SETTLED : SenderSettleMode.UNSETTLED);
        reply.setTarget(request.getTarget());
        reply.setInitialDeliveryCount(UnsignedInteger.ZERO);
        return reply;
    }

    private static void refuse(OutboundLink link, Attach request, ErrorCondition error) {
        Attach refusal = reply(link, request);
        refusal.setSource(null);
        link.refuse(refusal, error);
    }
}
