package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Fixes;
import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Packet;
import io.mainstem.mqtt.wire.PacketType;
import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Property;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.HeadRecord;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.Message;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Publishes of one client: aliases, checks, storing, and answers in the order of the publishes [MQTT-4.6.0-2]. A publish
 * of QoS 2 is stored together with its packet id, so that it is stored once whatever crashes [T-1].
 *
 * <p>Thread: the connection's event loop.
 */
final class Inbound {
    private final MqttConnection connection;
    private final MqttProtocol protocol;
    private final Client client;
    private final BrokerSession broker;
    private final ConnectedSession.Durables durables;
    private final PublishIngress.Publisher publisher;
    /** By number from 1 on; made with the first one. */
    private @Nullable String[] aliases = {};

    /** Packet ids of QoS 2 between PUBLISH and PUBREL. */
    private final Set<Integer> received;

    private final Deque<Answer> answers = new ArrayDeque<>(0);
    private int unanswered;

    /** What a publish of QoS 1 or 2 waits for. */
    private static final class Answer {
        final int packetId;
        final int qos;

        @Nullable
        Reason reason;

        /** What the reason means here. */
        @Nullable
        String text;

        Answer(int packetId, int qos) {
            this.packetId = packetId;
            this.qos = qos;
        }
    }

    Inbound(
            MqttConnection connection,
            MqttProtocol protocol,
            Client client,
            BrokerSession broker,
            ConnectedSession.Durables durables,
            Set<Integer> received) {
        this.connection = connection;
        this.protocol = protocol;
        this.client = client;
        this.broker = broker;
        this.durables = durables;
        this.received = new HashSet<>(received);
        this.publisher = new PublishIngress.Publisher(client, protocol.options().topicMapping());
    }

    void onPublish(Packet.Publish publish) {
        protocol.statistics().publishReceived(publish.payload().length);
        String topic = topic(publish);
        Topics.checkName(topic);
        checkMessage(publish.properties(), publish.payload());
        if (publish.qos() == 2 && received.contains(publish.packetId())) {
            again(publish.packetId());
            return;
        }
        Answer answer = publish.qos() == 0 ? null : expectAnswer(publish);
        if (publish.retain() && publish.payload().length > protocol.limits().retainedBytesMax()) {
            refuse(
                    answer,
                    Reason.QUOTA_EXCEEDED,
                    "MS-0603 limit: a retained message of " + publish.payload().length + " bytes (limit: "
                            + protocol.limits().retainedBytesMax()
                            + ") fix: retain smaller ones, or raise mqtt.retained-bytes-max");
            return;
        }
        topic = publisher.mapping().name(topic);
        if (Topics.isReserved(topic)) {
            refuse(
                    answer,
                    Reason.NOT_AUTHORIZED,
                    "MS-0610 a client may not publish to '" + Topics.shown(topic)
                            + "' fix: publish to a topic that does not begin with $SYS");
            return;
        }
        if (Topics.namesNoQueue(topic)) {
            refuse(answer, Reason.TOPIC_NAME_INVALID, "MS-0605 '" + Topics.shown(topic) + Topics.NO_QUEUE);
            return;
        }
        String queue = Topics.queue(topic);
        Message message = PublishIngress.message(
                publisher,
                PublishIngress.Place.of(topic, queue),
                publish.qos(),
                publish.retain(),
                publish.properties(),
                publish.payload(),
                protocol.clock().millis());
        List<HeadRecord> records = publish.qos() == 2 && durables.durable()
                ? List.of(durables.store().received(publish.packetId()))
                : List.of();
        try {
            broker.publish(message, records, 0, (tag, result) -> published(answer, result));
        } catch (BrokerException refused) {
            if (refused.kind() == ErrorKind.ACCESS_REFUSED) {
                refuse(answer, Reason.NOT_AUTHORIZED, String.valueOf(refused.getMessage()));
            } else {
                published(answer, new PublishResult.Refused(refused.kind(), String.valueOf(refused.getMessage())));
            }
        }
        holdBackIfBlocked();
    }

    /** Topic aliases live as long as the connection [MQTT-3.3.2-7]. */
    private String topic(Packet.Publish publish) {
        int alias = (int) publish.properties().number(Property.TOPIC_ALIAS, 0);
        if (alias == 0) {
            if (publish.topic().isEmpty()) {
                throw MqttViolation.protocol("PUBLISH with neither topic nor alias");
            }
            return publish.topic();
        }
        int max = protocol.limits().topicAliasMaximum();
        if (alias > max) {
            throw new MqttViolation(
                    Reason.TOPIC_ALIAS_INVALID,
                    "MS-0602 protocol error: topic alias " + alias + " (expected: at most " + max + ")");
        }
        if (aliases.length == 0) {
            aliases = new String[max + 1];
        }
        if (!publish.topic().isEmpty()) {
            aliases[alias] = publish.topic();
            return publish.topic();
        }
        String topic = aliases[alias];
        if (topic == null) {
            throw MqttViolation.protocol("topic alias " + alias + " was not set");
        }
        return topic;
    }

    /** What can be wrong with a message itself. */
    static void checkMessage(Properties properties, byte[] payload) {
        if (properties.isEmpty()) {
            return;
        }
        String response = properties.text(Property.RESPONSE_TOPIC);
        if (response != null && !Topics.isName(response)) {
            throw MqttViolation.protocol("response topic '" + Topics.shown(response) + "' is empty or has wildcards");
        }
        if (properties.number(Property.PAYLOAD_FORMAT, 0) == 1 && PublishIngress.utf8(payload) == null) {
            throw new MqttViolation(
                    Reason.PAYLOAD_FORMAT_INVALID, "MS-0605 the payload is declared as UTF-8 and is not");
        }
    }

    private Answer expectAnswer(Packet.Publish publish) {
        if (client.version().hasProperties()
                && unanswered + received.size() >= protocol.limits().receiveMaximum()) {
            throw new MqttViolation(
                    Reason.RECEIVE_MAXIMUM_EXCEEDED,
                    "MS-0603 limit: more than " + protocol.limits().receiveMaximum() + " publishes under way"
                            + " fix: wait for acknowledgements, or raise mqtt.receive-maximum");
        }
        Answer answer = new Answer(publish.packetId(), publish.qos());
        answers.add(answer);
        if (publish.qos() == 2) {
            received.add(publish.packetId());
        } else {
            unanswered++;
        }
        return answer;
    }

    /** The client has not seen our PUBREC: it is said again, after it was said for the first time. */
    private void again(int packetId) {
        for (Answer pending : answers) {
            if (pending.packetId == packetId && pending.qos == 2) {
                return;
            }
        }
        connection.ack(PacketType.PUBREC, packetId, Reason.SUCCESS);
    }

    /** Nothing is stored; 3.x and QoS 0 cannot be told. */
    private void refuse(@Nullable Answer answer, Reason reason, String problem) {
        String text = Fixes.in(problem);
        connection.logRefusal(text);
        if (answer != null) {
            answer.reason = client.version().hasProperties() ? reason : Reason.SUCCESS;
            answer.text = text;
            sendAnswers();
        }
    }

    private void published(@Nullable Answer answer, PublishResult result) {
        if (result instanceof PublishResult.Unknown unknown) {
            connection.fail(new MqttViolation(Reason.SERVER_UNAVAILABLE, "MS-0609 " + unknown.text()));
            return;
        }
        String text = result instanceof PublishResult.Refused refused ? refused.text() : null;
        if (text != null) {
            connection.logRefusal("MS-0610 publish: " + text);
        }
        if (answer != null) {
            answer.reason = reason(result);
            answer.text = text;
            sendAnswers();
        }
    }

    private Reason reason(PublishResult result) {
        if (result instanceof PublishResult.Unroutable) {
            return Reason.NO_MATCHING_SUBSCRIBERS;
        }
        if (result instanceof PublishResult.Refused refused) {
            return switch (refused.kind()) {
                case RESOURCE_LIMIT -> Reason.QUOTA_EXCEEDED;
                case NOT_FOUND -> Reason.NO_MATCHING_SUBSCRIBERS; // A temporary topic that is gone has none.
                default -> Reason.UNSPECIFIED_ERROR;
            };
        }
        return Reason.SUCCESS;
    }

    private void sendAnswers() {
        for (Answer first = answers.peek(); first != null && first.reason != null; first = answers.peek()) {
            answers.remove();
            Reason reason = first.reason;
            if (first.qos == 1) {
                unanswered--;
            } else if (reason.isError()) {
                received.remove(first.packetId);
            }
            if (reason.isError() && !client.version().hasProperties()) {
                // 3.x cannot say no; an answer would be a lie [T-2].
                connection.fail(
                        new MqttViolation(reason, "MS-0603 limit: a publish was refused fix: see the broker's log"));
                return;
            }
            connection.ack(first.qos == 1 ? PacketType.PUBACK : PacketType.PUBREC, first.packetId, reason, first.text);
        }
    }

    /** The client has our PUBREC: the id is free for another message as soon as that is on disk. */
    void onPubrel(int packetId) {
        if (!received.remove(packetId)) {
            connection.ack(PacketType.PUBCOMP, packetId, Reason.PACKET_IDENTIFIER_NOT_FOUND);
        } else if (durables.durable()) {
            var unused = broker.keep(List.of(durables.store().released(packetId)))
                    .whenComplete((kept, failure) -> released(packetId, failure));
        } else {
            connection.ack(PacketType.PUBCOMP, packetId, Reason.SUCCESS);
        }
    }

    private void released(int packetId, @Nullable Throwable failure) {
        if (failure == null) {
            connection.ack(PacketType.PUBCOMP, packetId, Reason.SUCCESS);
        } else {
            connection.fail(new MqttViolation(Reason.SERVER_UNAVAILABLE, "MS-0609 " + failure.getMessage()));
        }
    }

    private void holdBackIfBlocked() {
        if (!broker.writable() && connection.holdBack(broker.blockedReason())) {
            broker.onWritable(connection::goOn);
        }
    }
}
