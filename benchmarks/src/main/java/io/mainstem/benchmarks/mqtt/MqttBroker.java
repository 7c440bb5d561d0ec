package io.mainstem.benchmarks.mqtt;

import io.mainstem.benchmarks.amqp.LoadException;
import io.mainstem.benchmarks.measure.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** MQTT brokers that can be started as a child process, on loopback, open to everybody. Thread: any. */
enum MqttBroker {
    /** This repository's broker with its defaults: PUBACK after the sync. */
    MAINSTEM {
        @Override
        ChildProcess start(List<String> jvmOptions, Path data, int port) throws IOException {
            return ChildProcess.mainstem(jvmOptions, mainstem(data, port), data.resolveSibling("mainstem.log"));
        }
    },
    /** Debian's {@code mosquitto} with its defaults: nothing is on disk before PUBACK. */
    MOSQUITTO {
        @Override
        ChildProcess start(List<String> jvmOptions, Path data, int port) throws IOException {
            Path file = Files.createDirectories(data).resolve("mosquitto.conf");
            Files.writeString(file, "listener " + port + " 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n");
            Path command = Stream.of("/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/opt/homebrew/sbin/mosquitto")
                    .map(Path::of)
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow(() -> new LoadException("mosquitto is not installed (Debian: apt install mosquitto)"));
            return ChildProcess.command(
                    List.of(command.toString(), "-c", file.toString()),
                    " running",
                    data.resolveSibling("mosquitto.log"));
        }
    },
    /** HiveMQ CE with its defaults; built by {@code benchmarks/hivemq/pom.xml}. */
    HIVEMQ {
        @Override
        ChildProcess start(List<String> jvmOptions, Path data, int port) throws IOException {
            Path built = hiveMq();
            Path configuration = Files.createDirectories(data.resolve("conf"));
            Files.createDirectories(data.resolve("extensions"));
            Files.createDirectories(data.resolve("data"));
            Files.writeString(
                    configuration.resolve("config.xml"),
                    "<?xml version=\"1.0\"?><hivemq><listeners><tcp-listener><port>" + port
                            + "</port><bind-address>127.0.0.1</bind-address></tcp-listener></listeners>"
                            + "<anonymous-usage-statistics><enabled>false</enabled></anonymous-usage-statistics></hivemq>");
            String classPath = built.resolve("classes") + File.pathSeparator + built.resolve("lib") + "/*";
            List<String> command = Stream.of(
                            List.of(Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString()),
                            jvmOptions,
                            HIVEMQ_OPENS,
                            List.of("-cp", classPath, "io.mainstem.benchmarks.hivemq.HiveMqServer", data.toString()))
                    .flatMap(List::stream)
                    .toList();
            return ChildProcess.command(command, "ready", data.resolveSibling("hivemq.log"));
        }
    };

    private static final List<String> HIVEMQ_OPENS = List.of(
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED");

    /**
     * Starts it and waits until it is ready.
     *
     * @param jvmOptions if it is a JVM
     * @param data its data folder; its output goes to a file beside it
     */
    abstract ChildProcess start(List<String> jvmOptions, Path data, int port) throws IOException;

    boolean isJvm() {
        return this != MOSQUITTO;
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static List<String> mainstem(Path data, int port) {
        return List.of(
                "start",
                "--data",
                data.toString(),
                "--set",
                "amqp.port=0",
                "--set",
                "mqtt.port=" + port,
                "--set",
                "mqtt.connections-max=20000",
                "--set",
                "mqtt.connections-per-address-max=20000");
    }

    /** What was built of it: a class path of its own, as it brings another version of Netty. */
    private static Path hiveMq() throws IOException {
        Path folder = Path.of(System.getProperty("mainstem.home", "."), "benchmarks", "hivemq")
                .toAbsolutePath();
        Path built = folder.resolve("target");
        if (!Files.isDirectory(built.resolve("lib"))) {
            List<String> maven =
                    List.of("mvn", "-B", "-q", "-f", folder.resolve("pom.xml").toString(), "package");
            Process process = new ProcessBuilder(maven).inheritIO().start();
            try {
                if (process.waitFor() != 0) {
                    throw new IOException("HiveMQ CE cannot be built, see the lines above");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while HiveMQ CE was built", e);
            }
        }
        return built;
    }
}
