package io.mainstem.benchmarks.peers;

import io.mainstem.benchmarks.amqp.Endpoint;
import io.mainstem.benchmarks.measure.ChildJvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A broker in a JVM of its own. Thread: one. */
public final class BrokerChild implements AutoCloseable {
    private final String name;
    private final ChildJvm jvm;
    private final Endpoint endpoint;

    private BrokerChild(String name, ChildJvm jvm, Endpoint endpoint) {
        this.name = name;
        this.jvm = jvm;
        this.endpoint = endpoint;
    }

    /**
     * This repository's broker with its defaults.
     *
     * @param jvmOptions such as {@code -Xmx1g}
     * @param data its data folder, kept if it exists
     */
    public static BrokerChild mainstem(List<String> jvmOptions, Path data) throws IOException {
        List<String> main =
                List.of("io.mainstem.launcher.Main", "start", "--data", data.toString(), "--set", "amqp.port=0");
        ChildJvm jvm = ChildJvm.start(jvmOptions, main, data.resolveSibling(data.getFileName() + ".log"));
        return new BrokerChild("mainstem", jvm, readEndpoint(data.resolve("endpoints")));
    }

    /** ActiveMQ Artemis, see {@link ArtemisServer}. */
    public static BrokerChild artemis(List<String> jvmOptions, Path data, long bufferTimeoutNanos) throws IOException {
        int port = freePort();
        List<String> main = List.of(
                ArtemisServer.class.getName(),
                data.toString(),
                Integer.toString(port),
                Long.toString(bufferTimeoutNanos));
        ChildJvm jvm = ChildJvm.start(jvmOptions, main, data.resolveSibling(data.getFileName() + ".log"));
        return new BrokerChild("artemis", jvm, Endpoint.local(port));
    }

    private static Endpoint readEndpoint(Path endpoints) throws IOException {
        for (String line : Files.readAllLines(endpoints)) {
            if (line.startsWith("amqp=")) {
                int colon = line.lastIndexOf(':');
                return new Endpoint(
                        line.substring("amqp=".length(), colon),
                        Integer.parseInt(line.substring(colon + 1)),
                        null,
                        null);
            }
        }
        throw new IOException(endpoints + " names no amqp listener");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** {@code mainstem} or {@code artemis}. */
    public String name() {
        return name;
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    /** Its process. */
    public ChildJvm jvm() {
        return jvm;
    }

    @Override
    public void close() {
        jvm.close();
    }
}
