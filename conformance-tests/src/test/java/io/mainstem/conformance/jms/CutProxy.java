package io.mainstem.conformance.jms;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands between a client and the broker and breaks their connections when told. */
final class CutProxy implements AutoCloseable {
    private final ServerSocket door;
    private final int brokerPort;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private volatile boolean refusing;
    private volatile boolean mute;

    CutProxy(int brokerPort) throws IOException {
        this.brokerPort = brokerPort;
        door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "cut-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket client = door.accept();
                if (refusing) {
                    client.close();
                    continue;
                }
                Socket broker = new Socket(InetAddress.getLoopbackAddress(), brokerPort);
                open.add(client);
                open.add(broker);
                start(() -> copy(client, broker, false));
                start(() -> copy(broker, client, true));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void copy(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[64 << 10];
        try (InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            int length = in.read(buffer);
            while (length >= 0) {
                if (!answers || !mute) {
                    out.write(buffer, 0, length);
                }
                length = in.read(buffer);
            }
        } catch (IOException e) {
            close(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends all connections at once, in the middle of whatever they carry. */
    void cut() {
        List<Socket> sockets = List.copyOf(open);
        open.removeAll(sockets);
        sockets.forEach(CutProxy::close);
    }

    /** What the broker says is lost from now on, or not any more. */
    void mute(boolean next) {
        mute = next;
    }

    /** From now on nobody gets through, or again everybody. */
    void refuse(boolean next) {
        refusing = next;
    }

    @Override
    public void close() throws IOException {
        door.close();
        cut();
    }
}
