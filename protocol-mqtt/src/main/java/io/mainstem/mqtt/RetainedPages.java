package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.Message;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
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
    private final Deque<Place> places = new ArrayDeque<>(0);
    /** At most a page. */
    private final Deque<Message> refused = new ArrayDeque<>(0);

    private boolean waiting;
    private int unanswered;

    /** How far one subscription's have come: {@code after} is the last key looked at. */
    private record Place(Subscription subscription, String after) {}

    RetainedPages(MqttConnection connection, BrokerSession broker, String queue, InstantSource clock) {
        this.connection = connection;
        this.broker = broker;
        this.queue = queue;
        this.clock = clock;
    }

    /** The client has subscribed. */
    void begin(Subscription subscription) {
        end(subscription.filter());
        places.add(new Place(subscription, ""));
        connection.scheduleFlush();
    }

    /** It is not subscribed any more. */
    void end(String filter) {
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
            String last = Retained.page(broker, place.subscription(), place.after(), PAGE, clock.millis(), this::offer);
            goOn(place.subscription(), last);
        }
    }

    private void goOn(Subscription subscription, @Nullable String last) {
        if (last != null) {
            places.add(new Place(subscription, last));
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
