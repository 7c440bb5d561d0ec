package io.mainstem.mqtt;

import io.mainstem.routing.Broker;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.Envelope;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes the wills of clients that are gone [S-5], if they still may. Thread: that of {@link Sessions}. */
final class WillPublisher {
    private static final Logger LOG = LoggerFactory.getLogger(WillPublisher.class);

    private final Broker broker;
    private final BrokerSession session;
    private final Executor thread;
    private final InstantSource clock;

    /** @param session to which everything is permitted */
    WillPublisher(Broker broker, BrokerSession session, Executor thread, InstantSource clock) {
        this.broker = broker;
        this.session = session;
        this.thread = thread;
        this.clock = clock;
    }

    void publish(WillMessage will) {
        Envelope envelope = will.message().envelope();
        try {
            requirePermitted(envelope);
            session.publish(will.publishedAt(clock.millis()), 0, (tag, result) -> {
                if (result instanceof PublishResult.Refused refused) {
                    notPublished(envelope, refused.text());
                } else if (result instanceof PublishResult.Unknown unknown) {
                    notPublished(envelope, unknown.text());
                }
            });
            session.flush();
        } catch (BrokerException refused) {
            notPublished(envelope, String.valueOf(refused.getMessage()));
        }
    }

    /** The rights of the client's user may have gone since CONNECT, or the user itself. */
    private void requirePermitted(Envelope will) {
        BrokerSession its =
                broker.connect(new ClientInfo("/", will.publisherId(), will.user(), "mqtt-will", "mqtt"), thread);
        try {
            its.requirePublish(will.exchange(), will.routingKey());
        } finally {
            its.close();
        }
    }

    private static void notPublished(Envelope will, String why) {
        LOG.warn(
                "MS-0617 will not published client-id='{}' topic='{}' reason=\"{}\" fix: see the reason: rights of its"
                        + " user, or space",
                Topics.shown(will.publisherId()),
                Topics.shown(will.routingKey()),
                why);
    }
}
