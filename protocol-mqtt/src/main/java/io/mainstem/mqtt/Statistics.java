package io.mainstem.mqtt;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What the MQTT clients of a broker have done since its start. Thread: any; counts are not of one moment. */
final class Statistics {
    private final AtomicInteger connected = new AtomicInteger();
    private final AtomicInteger connectedMax = new AtomicInteger();
    private final LongAdder packetsReceived = new LongAdder();
    private final LongAdder packetsSent = new LongAdder();
    private final LongAdder bytesReceived = new LongAdder();
    private final LongAdder bytesSent = new LongAdder();
    private final LongAdder publishesReceived = new LongAdder();
    private final LongAdder publishesSent = new LongAdder();
    private final LongAdder publishesDropped = new LongAdder();
    private final LongAdder publishesUnmappable = new LongAdder();
    private final LongAdder payloadBytesReceived = new LongAdder();
    private final LongAdder payloadBytesSent = new LongAdder();

    void connected() {
        int now = connected.incrementAndGet();
        connectedMax.accumulateAndGet(now, Math::max);
    }

    void disconnected() {
        connected.decrementAndGet();
    }

    void received(long bytes) {
        bytesReceived.add(bytes);
    }

    void sent(long bytes) {
        bytesSent.add(bytes);
    }

    void packetReceived() {
        packetsReceived.increment();
    }

    void packetSent() {
        packetsSent.increment();
    }

    void publishReceived(int payloadBytes) {
        publishesReceived.increment();
        payloadBytesReceived.add(payloadBytes);
    }

    void publishSent(int payloadBytes) {
        packetsSent.increment();
        publishesSent.increment();
        payloadBytesSent.add(payloadBytes);
    }

    /** A message was not sent because its client could not take it. */
    void publishDropped() {
        publishesDropped.increment();
    }

    /** A message was given up because nothing MQTT could be made of it. */
    void publishUnmappable() {
        publishesUnmappable.increment();
    }

    long dropped() {
        return publishesDropped.sum();
    }

    long unmappable() {
        return publishesUnmappable.sum();
    }

    int connectedNow() {
        return connected.get();
    }

    /** The values that are published below {@code $SYS/broker/}, into {@code topics}. */
    void addTo(SysTopics.Values topics) {
        topics.put("clients/connected", connected.get());
        topics.put("clients/maximum", connectedMax.get());
        topics.put("messages/received", packetsReceived.sum());
        topics.put("messages/sent", packetsSent.sum());
        topics.put("bytes/received", bytesReceived.sum());
        topics.put("bytes/sent", bytesSent.sum());
        topics.put("publish/messages/received", publishesReceived.sum());
        topics.put("publish/messages/sent", publishesSent.sum());
        topics.put("publish/bytes/received", payloadBytesReceived.sum());
        topics.put("publish/bytes/sent", payloadBytesSent.sum());
    }
}
