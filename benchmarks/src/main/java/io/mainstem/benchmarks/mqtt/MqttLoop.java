package io.mainstem.benchmarks.mqtt;

import io.mainstem.benchmarks.amqp.LoadException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Many MQTT connections on one thread. Thread: the caller's. */
final class MqttLoop implements AutoCloseable {
    private static final int OUT_BYTES = 1 << 16;
    private static final int STALLED_SECONDS = 30;

    private final int port;
    private final Selector selector;
    private final List<MqttClient> clients = new ArrayList<>();
    private final ByteBuffer in = ByteBuffer.allocateDirect(1 << 18);

    MqttLoop(int port) {
        this.port = port;
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new LoadException("no selector", e);
        }
    }

    /** Connects a socket and sends CONNECT; the answer comes as an event. */
    MqttClient connect(String clientId, int keepAliveSeconds, MqttClient.Events events, int outBytes) {
        try {
            SocketChannel socket = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            socket.configureBlocking(false);
            MqttClient client = new MqttClient(clients.size(), socket, events, ByteBuffer.allocate(outBytes));
            client.registeredAs(socket.register(selector, SelectionKey.OP_READ, client));
            clients.add(client);
            MqttWire.connect(client.out(), clientId, keepAliveSeconds);
            client.flush();
            return client;
        } catch (IOException e) {
            throw new LoadException("no connection to port " + port, e);
        }
    }

    MqttClient connect(String clientId, MqttClient.Events events) {
        return connect(clientId, 0, events, OUT_BYTES);
    }

    /** Works off what is there, and waits for it at most so long. */
    void turn(long waitMillis) {
        try {
            selector.select(key -> ready((MqttClient) key.attachment(), key), Math.max(1, waitMillis));
        } catch (IOException e) {
            throw new LoadException("the selector failed", e);
        }
    }

    private void ready(MqttClient client, SelectionKey key) {
        if (key.isValid() && key.isReadable()) {
            client.read(in);
        }
        if (key.isValid() && key.isWritable()) {
            client.flush();
        }
    }

    /** Works until it is so. */
    void until(BooleanSupplier so, String what) {
        long end = System.nanoTime() + STALLED_SECONDS * 1_000_000_000L;
        while (!so.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new LoadException("no progress in " + STALLED_SECONDS + " s: " + what);
            }
            turn(100);
        }
    }

    List<MqttClient> clients() {
        return clients;
    }

    @Override
    public void close() {
        clients.forEach(MqttClient::close);
        try {
            selector.close();
        } catch (IOException e) {
            throw new LoadException("the selector does not close", e);
        }
    }
}
