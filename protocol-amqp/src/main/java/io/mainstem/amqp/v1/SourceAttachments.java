package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Outcome;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Source;
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
    /** A volatile subscription may go with its last consumer just before this one is attached, but not time and again. */
    private static final int ATTEMPTS_MAX = 8;

    private final BrokerSession broker;
    private final Subscriptions subscriptions;
    private final SourceFeeds feeds;
    private final SubscriptionLookup lookup;
    private final ManagementLinks management;

    SourceAttachments(
            BrokerSession broker, Subscriptions subscriptions, SourceFeeds feeds, ManagementLinks management) {
        this.broker = broker;
        this.subscriptions = subscriptions;
        this.feeds = feeds;
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

    /** @param left what a link of this name has left on this connection, or null */
    void attach(OutboundLink link, Attach request, @Nullable SessionConsumer left) {
        Source asked = source(request);
        try {
            SessionConsumer same = goesOn(left, request, asked) ? left : null;
            if (left != null && same == null) {
                left.close();
            }
            if (asked == null) {
                lookup.attach(link, request, reply(link, request));
            } else if (ManagementLinks.ADDRESS.equals(asked.getAddress())) {
                management.attachReplies(link, request, reply(link, request));
            } else if (same != null) {
                resume(link, request, same);
            } else {
                LinkProperties.priority(request);
                LinkProperties.exclusive(request);
                attach(link, request, asked, SourceFilters.of(asked), 1).exceptionally(failure -> {
                    refuse(link, request, AmqpErrors.of(failure));
                    link.session.connection().scheduleFlush();
                    return null;
                });
            }
        } catch (AmqpException refused) {
            refuse(link, request, refused.toErrorCondition());
        }
    }

    /** True if what is kept is what the peer asks for now: else it gets what it asks for, and what was kept goes. */
    private static boolean goesOn(@Nullable SessionConsumer left, Attach request, @Nullable Source asked) {
        if (left == null || asked == null || left.handle() == null) {
            return false;
        }
        Source had = left.feed().granted();
        return Objects.equals(had.getAddress(), asked.getAddress())
                && Objects.equals(had.getDistributionMode(), asked.getDistributionMode())
                && request.getSndSettleMode() != SenderSettleMode.SETTLED
                && Capabilities.kind(had.getCapabilities()) == Capabilities.kind(asked.getCapabilities())
                && Capabilities.has(had.getCapabilities(), Capabilities.SHARED)
                        == Capabilities.has(asked.getCapabilities(), Capabilities.SHARED)
                && hasFilters(left.feed(), asked);
    }

    private static boolean hasFilters(Feed feed, Source asked) {
        try {
            return SourceFilters.of(feed.granted()).selectsLike(SourceFilters.of(asked));
        } catch (AmqpException invalid) {
            // The attach that follows says what is wrong with them.
            return false;
        }
    }

    private CompletionStage<@Nullable Void> attach(
            OutboundLink link, Attach request, Source asked, SourceFilters filters, int attempt) {
        return feeds.feed(link.name, asked, filters)
                .thenCompose(feed -> consume(link, request, feed, Outcomes.onLoss(asked))
                        .handle((done, failure) -> {
                            if (failure == null) {
                                return CompletableFuture.<@Nullable Void>completedFuture(null);
                            }
                            boolean again = feed.kind() == Feed.Kind.VOLATILE
                                    && attempt < ATTEMPTS_MAX
                                    && AmqpErrors.isNotFound(failure);
                            return again
                                    ? attach(link, request, asked, filters, attempt + 1)
                                    : CompletableFuture.<@Nullable Void>failedFuture(failure);
                        })
                        .thenCompose(next -> next));
    }

    private CompletionStage<@Nullable Void> consume(OutboundLink link, Attach request, Feed feed, Outcome onLoss) {
        boolean presettled = request.getSndSettleMode() == SenderSettleMode.SETTLED;
        boolean exclusive = feed.exclusive() || LinkProperties.exclusive(request);
        link.alone(exclusive || feed.isAlone());
        ConsumerSpec spec = new ConsumerSpec(
                link.name,
                exclusive,
                feed.browse(),
                presettled,
                LinkProperties.priority(request),
                onLoss,
                feed.selector());
        if (feed.outlivesDetach() && !presettled) {
            return consumeForSession(link, request, feed, spec);
        }
        CompletionStage<ConsumerHandle> attached = broker.consume(feed.queue(), spec, link);
        link.session.connection().scheduleFlush();
        boolean own = feed.kind() == Feed.Kind.OWN;
        return attached.whenComplete((consumer, failure) -> dropUnused(feed, failure))
                .thenAccept(consumer -> {
                    Attach reply = reply(link, request);
                    reply.setSource(feed.granted());
                    feed.linked(link);
                    link.attached(reply, consumer, feed.browse(), feed.onClosed());
                    if (own && !link.isAttached()) {
                        subscriptions.drop(feed.queue());
                    }
                    link.session.connection().scheduleFlush();
                });
    }

    private CompletionStage<@Nullable Void> consumeForSession(
            OutboundLink link, Attach request, Feed feed, ConsumerSpec spec) {
        CompletionStage<SessionConsumer> attached = SessionConsumer.attach(link, broker, feed, spec);
        link.session.connection().scheduleFlush();
        return attached.whenComplete((consumer, failure) -> dropUnused(feed, failure))
                .thenAccept(consumer -> {
                    Attach reply = reply(link, request);
                    reply.setSource(feed.granted());
                    feed.linked(link);
                    link.attached(reply, consumer, feed.onClosed());
                    link.session.connection().scheduleFlush();
                });
    }

    /** A queue that was made for a consumer that could not be attached. */
    private void dropUnused(Feed feed, @Nullable Throwable failure) {
        if (failure != null && feed.kind() == Feed.Kind.OWN) {
            subscriptions.drop(feed.queue());
            feed.unused();
        }
    }

    /** Goes on with the subscription of the link that had this name. */
    private static void resume(OutboundLink link, Attach request, SessionConsumer left) {
        left.resume(link);
        Attach reply = reply(link, request);
        reply.setSource(left.feed().granted());
        link.alone(left.feed().isAlone());
        link.attached(reply, left, left.feed().onClosed());
        link.session.connection().scheduleFlush();
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
