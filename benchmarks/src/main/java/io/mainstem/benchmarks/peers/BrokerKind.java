package io.mainstem.benchmarks.peers;

import io.mainstem.benchmarks.amqp.Endpoint;
import io.mainstem.benchmarks.measure.ChildProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Brokers that can be started as a child JVM. Thread: any. */
public enum BrokerKind {
    /** This repository's broker with its defaults, started by its script. */
    MAINSTEM {
        @Override
        public BrokerChild start(List<String> jvmOptions, Path data, long bufferTimeoutNanos) throws IOException {
            return mainstem(jvmOptions, data, List.of());
        }
    },
    /** ActiveMQ Artemis, see {@link ArtemisServer}. */
    ARTEMIS {
        @Override
        public BrokerChild start(List<String> jvmOptions, Path data, long bufferTimeoutNanos) throws IOException {
            int port = freePort();
            List<String> main = List.of(
                    ArtemisServer.class.getName(),
                    data.toString(),
                    Integer.toString(port),
                    Long.toString(bufferTimeoutNanos));
            ChildProcess jvm = ChildProcess.start(jvmOptions, main, logBeside(data));
            return new BrokerChild(this, jvm, Endpoint.local(port));
        }
    };

    /**
     * Starts it and waits until it is ready.
     *
     * @param jvmOptions such as {@code -Xmx1g}
     * @param data its data folder, made if it does not exist; its output goes to a file beside it
     * @param bufferTimeoutNanos Artemis' journal buffer timeout, 0 = its default
     */
    public abstract BrokerChild start(List<String> jvmOptions, Path data, long bufferTimeoutNanos) throws IOException;

    /**
     * Starts this repository's broker with other settings than its defaults.
     *
     * @param settings such as {@code store.segment-bytes=64MiB}
     */
    public static BrokerChild mainstem(List<String> jvmOptions, Path data, List<String> settings) throws IOException {
        List<String> start = new ArrayList<>(
                List.of("start", "--data", data.toString(), "--set", "amqp.port=0", "--set", "mqtt.port=0"));
        for (String setting : settings) {
            start.add("--set");
            start.add(setting);
        }
        ChildProcess jvm = ChildProcess.mainstem(jvmOptions, start, logBeside(data));
        return new BrokerChild(MAINSTEM, jvm, readEndpoint(data.resolve("endpoints")));
    }

    private static Path logBeside(Path data) {
        return data.resolveSibling(data.getFileName() + ".log");
    }

    private static Endpoint readEndpoint(Path endpoints) throws IOException {
        for (String line : Files.readAllLines(endpoints)) {
            if (line.startsWith("amqp=")) {
                int colon = line.lastIndexOf(':');
                String host = line.substring("amqp=".length(), colon);
                return new Endpoint(host, Integer.parseInt(line.substring(colon + 1)), null, null);
            }
        }
        throw new IOException(endpoints + " names no amqp listener");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
