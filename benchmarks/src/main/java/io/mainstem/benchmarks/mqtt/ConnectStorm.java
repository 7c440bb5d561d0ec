package io.mainstem.benchmarks.mqtt;

import io.mainstem.benchmarks.measure.Latencies;

/** Connects many clients at a given rate, while some that were there before send PINGREQ. Thread: one. */
final class ConnectStorm implements MqttClient.Events, AutoCloseable {
    private static final int OBSERVERS = 10;
    private static final int OUT_BYTES = 512;
    private static final int KEEP_ALIVE_SECONDS = 300;
    private static final long PING_NANOS = 10_000_000;

    private final MqttLoop loop;
    private final String name;
    private final Latencies pings = new Latencies();
    private final long[] pingedAt = new long[OBSERVERS];
    private int connected;
    private int lost;

    ConnectStorm(int port, String name) {
        this.loop = new MqttLoop(port);
        this.name = name;
        for (int n = 0; n < OBSERVERS; n++) {
            loop.connect(name + "-observer-" + n, KEEP_ALIVE_SECONDS, this, OUT_BYTES);
        }
        loop.until(() -> connected == OBSERVERS, "CONNACK of observers");
    }

    /** Returns the seconds it took until all were connected. */
    double connect(int count, int rate) {
        long begin = System.nanoTime();
        int started = 0;
        while (started < count) {
            long due = (System.nanoTime() - begin) * rate / 1_000_000_000L;
            while (started < Math.min(due, count)) {
                loop.connect(name + "-" + started, KEEP_ALIVE_SECONDS, this, OUT_BYTES);
                started++;
            }
            ping();
            loop.turn(1);
        }
        loop.until(() -> connected + lost >= count + OBSERVERS, "CONNACK");
        return (System.nanoTime() - begin) / 1e9;
    }

    /** Only the observers do anything; returns the seconds. */
    double idle(int seconds) {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < seconds * 1_000_000_000L) {
            loop.turn(100);
        }
        return (System.nanoTime() - begin) / 1e9;
    }

    private void ping() {
        long now = System.nanoTime();
        for (int n = 0; n < OBSERVERS; n++) {
            MqttClient observer = loop.clients().get(n);
            if (pingedAt[n] <= 0 && now + pingedAt[n] >= PING_NANOS && !observer.isClosed()) {
                pingedAt[n] = now;
                MqttWire.pingreq(observer.out());
                observer.flush();
            }
        }
    }

    int connected() {
        return connected - OBSERVERS;
    }

    int lost() {
        return lost;
    }

    Latencies pings() {
        return pings;
    }

    @Override
    public void onOther(MqttClient from, int packetType) {
        if (packetType == MqttWire.CONNACK) {
            connected++;
        } else if (packetType == MqttWire.PINGRESP && from.index < OBSERVERS) {
            long now = System.nanoTime();
            pings.record(now - pingedAt[from.index]);
            pingedAt[from.index] = -now; // negative: answered, then
        }
    }

    @Override
    public void onPublish(MqttClient from, int packetId) {
        // Nobody publishes.
    }

    @Override
    public void onPuback(MqttClient from, int packetId) {
        // Nobody publishes.
    }

    @Override
    public void onClosed(MqttClient from, String why) {
        lost++;
    }

    @Override
    public void close() {
        loop.close();
    }
}
