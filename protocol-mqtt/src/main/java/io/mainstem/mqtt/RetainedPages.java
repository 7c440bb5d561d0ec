package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.Message;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Retained messages on their way to a client that has subscribed: a page at a time is put into the session's queue, the
 * next one when the client has taken what came. A subscription to everything costs no more at once than one to a few; what
 * the queue cannot take now is offered again, what is left when the connection ends is not sent. Thread: the
 * connection's event loop.
 */
final class RetainedPages {
    private static final int PAGE = 32;
    private static final int OFFER_AGAIN_MS = 1_000;

    private final MqttConnection connection;
    private final BrokerSession broker;
    private final String queue;
    private final InstantSource clock;
    /** Subscriptions whose last retained messages are still on their way to the log. */
    private final Set<Beginning> beginnings = new HashSet<>(0);

    private final Deque<Place> places = new ArrayDeque<>(0);
    /** At most a page. */
    private final Deque<Message> refused = new ArrayDeque<>(0);

    private boolean waiting;
    private int unanswered;

    /** One that waits; known by its identity, for a client may subscribe again to the same. */
    private static final class Beginning {
        final Subscription subscription;

        Beginning(Subscription subscription) {
            this.subscription = subscription;
        }
    }

    /**
     * How far one subscription's have come.
     *
     * @param settled what was published later comes by the subscription itself
     * @param after the last key looked at
     */
    private record Place(Subscription subscription, long settled, String after) {}

    RetainedPages(MqttConnection connection, BrokerSession broker, String queue, InstantSource clock) {
        this.connection = connection;
        this.broker = broker;
        this.queue = queue;
        this.clock = clock;
    }

    /**
     * The client has subscribed.
     *
     * @param missed the last publish that may not come by the binding, see {@link BrokerSession#bind}
     */
    void begin(Subscription subscription, long missed) {
        end(subscription.filter());
        Beginning beginning = new Beginning(subscription);
        beginnings.add(beginning);
        var unused = broker.retained()
                .settled(missed)
                .thenAcceptAsync(settled -> settled(beginning, settled), connection.executor());
    }

    private void settled(Beginning beginning, long settled) {
        if (beginnings.remove(beginning)) {
            places.add(new Place(beginning.subscription, settled, ""));
            connection.scheduleFlush();
        }
    }

    /** It is not subscribed any more. */
    void end(String filter) {
        beginnings.removeIf(beginning -> beginning.subscription.filter().equals(filter));
        places.removeIf(place -> place.subscription().filter().equals(filter));
        refused.removeIf(message -> Retained.filter(message.envelope()).equals(filter));
    }

    /** Goes on if the client keeps up. */
    void pump(boolean clientKeepsUp) {
        if (!clientKeepsUp || unanswered > 0 || waiting) {
            return;
        }
        if (!refused.isEmpty()) {
            List<Message> again = List.copyOf(refused);
            refused.clear();
            again.forEach(this::offer);
            return;
        }
        Place place = places.poll();
        if (place != null) {
            String last = Retained.page(
                    broker, place.subscription(), place.settled(), place.after(), PAGE, clock.millis(), this::offer);
            goOn(place, last);
        }
    }

    private void goOn(Place place, @Nullable String last) {
        if (last != null) {
            places.add(new Place(place.subscription(), place.settled(), last));
        }
        if (unanswered == 0 && !places.isEmpty()) {
            connection.flushLater();
        }
    }

    private void offer(Message message) {
        unanswered++;
        broker.publishTo(queue, message, 0, (tag, result) -> answered(message, result));
    }

    private void answered(Message message, PublishResult result) {
        unanswered--;
        if (result instanceof PublishResult.Unknown unknown) {
            connection.fail(new MqttViolation(Reason.SERVER_UNAVAILABLE, "MS-0609 " + unknown.text()));
        } else if (result instanceof PublishResult.Refused full) {
            refused.add(message);
            offerAgain(full.text());
        }
        if (unanswered == 0 && !(places.isEmpty() && refused.isEmpty())) {
            connection.scheduleFlush();
        }
    }

    private void offerAgain(String why) {
        if (!waiting) {
            waiting = true;
            connection.logRefusal("MS-0624 retained messages for a new subscription wait: " + why);
            var unused = connection.executor().schedule(this::waited, OFFER_AGAIN_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void waited() {
        waiting = false;
        connection.scheduleFlush();
    }
}
