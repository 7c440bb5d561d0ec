package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.PacketType;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Deliveries to one client: packet ids, the window of QoS 1 and 2, acknowledgements. A delivery of QoS 2 leaves its
 * queue with the PUBREC, in one step with the note that its PUBREL is due; then only PUBREL is repeated [mapping 6].
 *
 * <p>Thread: the connection's event loop.
 */
final class Outbound {
    /** Deliveries read ahead of the client's window. */
    private static final int AHEAD = 64;

    private final MqttConnection connection;
    private final BrokerSession broker;
    private final ConnectedSession.Durables durables;
    private final PublishOutput output;
    private final InstantSource clock;
    private final PacketIds ids = new PacketIds();
    private final Map<Integer, Sent> inFlight = new HashMap<>();
    /** PUBREL is due or sent, PUBCOMP has not come. */
    private final Set<Integer> releasing;

    private final List<DeliverySource> sources = new ArrayList<>(1);
    private final int windowMax;
    private int window;
    private boolean started;

    /** A delivery of QoS 1 or 2 that the client has not answered. */
    private record Sent(DeliverySource source, long deliveryId, int qos) {}

    Outbound(
            MqttConnection connection,
            MqttProtocol protocol,
            Client client,
            BrokerSession broker,
            ConnectedSession.Durables durables,
            Set<Integer> releasing) {
        this.connection = connection;
        this.broker = broker;
        this.durables = durables;
        this.releasing = new LinkedHashSet<>(releasing);
        this.releasing.forEach(ids::take);
        this.windowMax = Math.min(client.receiveMaximum(), protocol.limits().inFlightMax());
        this.output = new PublishOutput(connection, protocol, client);
        this.clock = protocol.clock();
    }

    /** A queue more. */
    DeliverySource source(DeliverySource.Sending sending) {
        DeliverySource source = new DeliverySource(this, sending, windowMax + AHEAD);
        sources.add(source);
        return source;
    }

    /** A queue more that others take from, too: little is taken ahead of the client. */
    DeliverySource sharedSource(DeliverySource.Sending sending) {
        DeliverySource source = new DeliverySource(this, sending, Math.min(windowMax, AHEAD));
        sources.add(source);
        return source;
    }

    void remove(DeliverySource source) {
        source.close();
        forget(source);
    }

    /** It ends when the client has answered what it was sent [MQTT-3.10.4-3]; nothing more is sent. */
    void retire(DeliverySource source) {
        source.retire();
        endIfDone(source);
    }

    private void endIfDone(DeliverySource source) {
        if (source.retired() && inFlight.values().stream().noneMatch(sent -> sent.source() == source)) {
            remove(source);
        }
    }

    private void forget(DeliverySource source) {
        sources.remove(source);
        inFlight.entrySet().removeIf(entry -> {
            boolean its = entry.getValue().source() == source;
            if (its) {
                free(entry.getKey());
            }
            return its;
        });
    }

    /** What was not finished on the last connection goes on [MQTT-4.4.0-1]. */
    void start() {
        started = true;
        releasing.forEach(id -> connection.ack(PacketType.PUBREL, id, Reason.SUCCESS));
        window = 0;
        pump();
    }

    void arrived() {
        connection.scheduleFlush();
    }

    void sourceGone(DeliverySource source, ErrorKind why, String text) {
        forget(source);
        if (why == ErrorKind.UNAVAILABLE) {
            connection.fail(new MqttViolation(Reason.SERVER_SHUTTING_DOWN, "MS-0612 the broker stops: " + text));
        }
    }

    // ---- sending ----------------------------------------------------------------------------------------------

    /** Sends as far as the client's window and the socket allow. */
    void pump() {
        if (!started) {
            return;
        }
        for (int at = 0; at < sources.size(); at++) {
            DeliverySource source = sources.get(at);
            for (Delivery next = source.next(); next != null; next = source.next()) {
                if (!connection.output().open() || !send(source, next)) {
                    break;
                }
                source.taken();
            }
            source.grantCredit();
        }
    }

    /** True if the client has been sent all that came for it, and may be sent more. */
    boolean keepsUp() {
        return window < windowMax && sources.stream().allMatch(source -> source.next() == null);
    }

    /** Returns false if the delivery has to wait. */
    private boolean send(DeliverySource source, Delivery delivery) {
        if (source.sending().superseded(delivery)) {
            source.accept(delivery.deliveryId());
            return true;
        }
        if (delivery.late(clock.millis())) {
            source.release(delivery.deliveryId());
            return true;
        }
        PublishOutput.Outgoing outgoing;
        try {
            outgoing = output.prepare(source.sending(), delivery);
        } catch (RuntimeException unmappable) {
            // The client is not to suffer for it, nor the broker by sending it again and again [D-4].
            output.unmappable(delivery, unmappable);
            source.reject(delivery.deliveryId(), Outcome.UNMAPPABLE);
            return true;
        }
        if (outgoing == null) {
            source.accept(delivery.deliveryId());
            return true;
        }
        int qos = outgoing.qos();
        if (qos == 0) {
            output.write(outgoing, 0, false);
            source.accept(delivery.deliveryId());
            return true;
        }
        if (window >= windowMax) {
            return false;
        }
        int id = takeId(source, delivery);
        if (id == 0) {
            return false;
        }
        inFlight.put(id, new Sent(source, delivery.deliveryId(), qos));
        window++;
        output.write(outgoing, id, delivery.acquired());
        return true;
    }

    private int takeId(DeliverySource source, Delivery delivery) {
        if (delivery.position() < 0 || !source.sending().keepsPacketIds()) {
            return ids.takeOther();
        }
        int id = PacketIds.ofPosition(delivery.position());
        if (ids.inUse(id)) {
            return 0;
        }
        ids.take(id);
        return id;
    }

    // ---- acknowledgements -------------------------------------------------------------------------------------

    void onPuback(int packetId) {
        Sent sent = sent(packetId, 1, "PUBACK");
        if (sent != null) {
            inFlight.remove(packetId);
            sent.source().accept(sent.deliveryId());
            free(packetId);
            endIfDone(sent.source());
        }
    }

    void onPubrec(int packetId, int reason) {
        if (releasing.contains(packetId)) {
            connection.ack(PacketType.PUBREL, packetId, Reason.SUCCESS);
            return;
        }
        Sent sent = sent(packetId, 2, "PUBREC");
        if (sent == null) {
            connection.ack(PacketType.PUBREL, packetId, Reason.PACKET_IDENTIFIER_NOT_FOUND);
            return;
        }
        inFlight.remove(packetId);
        if (reason >= Reason.UNSPECIFIED_ERROR.code()) {
            sent.source().accept(sent.deliveryId());
            free(packetId);
            endIfDone(sent.source());
        } else if (durables.durable()) {
            releasing.add(packetId);
            sent.source().settled();
            var unused = sent.source()
                    .handle()
                    .accept(sent.deliveryId(), List.of(durables.store().releasing(packetId)))
                    .whenComplete((kept, failure) -> {
                        endIfDone(sent.source());
                        release(packetId, failure);
                    });
        } else {
            releasing.add(packetId);
            sent.source().accept(sent.deliveryId());
            connection.ack(PacketType.PUBREL, packetId, Reason.SUCCESS);
            endIfDone(sent.source());
        }
    }

    private void release(int packetId, @Nullable Throwable failure) {
        if (failure == null) {
            connection.ack(PacketType.PUBREL, packetId, Reason.SUCCESS);
        } else {
            connection.fail(new MqttViolation(Reason.SERVER_UNAVAILABLE, "MS-0609 " + failure.getMessage()));
        }
    }

    void onPubcomp(int packetId) {
        if (releasing.remove(packetId)) {
            if (durables.durable()) {
                // Not waited for: lost, it costs a PUBREL more.
                var unused = broker.keep(List.of(durables.store().completed(packetId)));
            }
            free(packetId);
        } else if (inFlight.containsKey(packetId)) {
            throw MqttViolation.protocol("PUBCOMP " + packetId + " without PUBREL");
        }
    }

    /** The delivery that is answered, null if there is none any more. */
    private @Nullable Sent sent(int packetId, int qos, String answer) {
        Sent sent = inFlight.get(packetId);
        if ((sent != null && sent.qos() != qos) || (qos == 1 && releasing.contains(packetId))) {
            throw MqttViolation.protocol(answer + " " + packetId + " for a PUBLISH of another QoS");
        }
        return sent;
    }

    private void free(int packetId) {
        ids.free(packetId);
        window = Math.max(0, window - 1);
    }

    /** Nothing is sent any more; the broker session closes next and takes everything back. */
    void close() {
        started = false;
        sources.clear();
        inFlight.clear();
    }
}
