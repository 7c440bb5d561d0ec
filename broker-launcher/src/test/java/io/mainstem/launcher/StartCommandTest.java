package io.mainstem.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code mainstem start} as a process of its own. */
@Timeout(300)
final class StartCommandTest {
    @TempDir
    Path folder;

    @Test
    void acceptsConnectionsOnceTheEndpointsFileIsThereAndStopsCleanlyOnSigterm() throws Exception {
        Path data = folder.resolve("data");
        try (ChildJvm broker = start(data)) {
            String ready = broker.awaitLine("ready");

            String endpoint = Files.readString(data.resolve("endpoints")).strip();
            assertThat(endpoint).matches("amqp=127\\.0\\.0\\.1:[1-9]\\d*\nmqtt=127\\.0\\.0\\.1:[1-9]\\d*");
            assertThat(ready).isEqualTo("ready " + endpoint.replace('\n', ' '));
            assertThat(String.join("\n", broker.lines()))
                    .contains(
                            "Mainstem " + BuildInfo.version(),
                            data.toString(),
                            "acknowledged = on disk",
                            "this machine only");
            try (Socket socket = new Socket(
                    InetAddress.getLoopbackAddress(),
                    port(endpoint.lines().toList().get(0)))) {
                socket.getOutputStream().write(new byte[] {'A', 'M', 'Q', 'P', 0, 1, 0, 0});
                assertThat(socket.getInputStream().readNBytes(4)).containsExactly('A', 'M', 'Q', 'P');
            }

            broker.terminate();

            assertThat(broker.exitCode()).as(broker.err()).isZero();
            assertThat(data.resolve("endpoints")).doesNotExist();
        }
    }

    @Test
    void aUsersFileThatIsLostOrEmptiedOpensTheBrokerToNobody() throws Exception {
        assertThat(Main.commandLine().execute("user", "add", "alice", "--no-password", "--data", folder.toString()))
                .isZero();
        try (ChildJvm broker = start(folder)) {
            broker.awaitLine("ready");
            broker.kill();
        }
        Path users = folder.resolve("users.yaml");

        for (boolean missing : new boolean[] {true, false}) {
            if (missing) {
                Files.delete(users);
            } else {
                Files.writeString(users, "");
            }
            try (ChildJvm broker = start(folder)) {
                assertThat(broker.exitCode()).isEqualTo(78);
                assertThat(broker.err()).contains("MS-0128", users.toString(), "fix:", "had-users");
            }
        }

        Files.writeString(users, "users: {}\n");
        try (ChildJvm broker = start(folder)) {
            assertThat(broker.awaitLine("ready")).contains("amqp=");
        }
        assertThat(folder.resolve("had-users")).doesNotExist();
    }

    @Test
    void mqttCanBeLeftOut() throws Exception {
        try (ChildJvm broker = ChildJvm.run(
                Main.class, "start", "--data", folder.toString(), "--set", "amqp.port=0", "--set", "mqtt.port=off")) {
            assertThat(broker.awaitLine("ready")).matches("ready amqp=\\S+");
            assertThat(Files.readString(folder.resolve("endpoints"))).doesNotContain("mqtt");

            broker.terminate();

            assertThat(broker.exitCode()).as(broker.err()).isZero();
        }
    }

    @Test
    void anEndpointsFileLeftByKillIsReplaced() throws Exception {
        try (ChildJvm broker = start(folder)) {
            broker.awaitLine("ready");
            broker.kill();
        }
        assertThat(folder.resolve("endpoints")).exists();
        Files.writeString(folder.resolve("endpoints"), "amqp=127.0.0.1:1\n");

        try (ChildJvm broker = start(folder)) {
            String ready = broker.awaitLine("ready");

            assertThat(Files.readString(folder.resolve("endpoints")))
                    .isEqualTo(ready.substring(6).replace(' ', '\n') + "\n");
        }
    }

    @Test
    void aSecondBrokerOnTheSameFolderIsRefusedNamingThePidThatHoldsIt() throws Exception {
        try (ChildJvm first = start(folder)) {
            first.awaitLine("ready");
            String endpoints = Files.readString(folder.resolve("endpoints"));

            try (ChildJvm second = start(folder)) {
                assertRefused(second, 75, "" + first.pid());
            }
            assertThat(folder.resolve("endpoints")).hasContent(endpoints);
        }
    }

    @Test
    void aTakenPortIsRefusedNamingIt() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ChildJvm broker = start(folder, "--set", "amqp.port=" + taken.getLocalPort())) {
            assertRefused(broker, 75, "MS-0401", ":" + taken.getLocalPort(), "amqp.port");
            assertThat(folder.resolve("endpoints")).doesNotExist();
        }
    }

    @Test
    void anAddressThatOtherMachinesReachIsRefused() throws Exception {
        try (ChildJvm broker = start(folder, "--set", "amqp.host=0.0.0.0")) {
            assertRefused(broker, 78, "MS-0112", "0.0.0.0", "no users");
        }
    }

    @Test
    void aDataFolderThatCannotBeMadeIsRefused() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");

        try (ChildJvm broker = start(file)) {
            assertRefused(broker, 73, "MS-0111", file.toString(), "--data");
        }
    }

    @Test
    void aDamagedLogIsRefusedNamingTheFile() throws Exception {
        try (ChildJvm broker = start(folder)) {
            broker.awaitLine("ready");
            broker.kill();
        }
        Path segment = folder.resolve("store/log/00000000000000000000.log");
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            file.write("damaged!".getBytes(StandardCharsets.US_ASCII));
        }

        try (ChildJvm broker = start(folder)) {
            assertRefused(broker, 78, segment.toString());
        }
    }

    @Test
    void aWrongConfigurationIsRefusedWithFileAndLine() throws Exception {
        Path file = Files.writeString(folder.resolve("mainstem.yaml"), "amqp:\n  prot: 5672\n");

        try (ChildJvm broker = start(folder, "--config", file.toString())) {
            assertRefused(broker, 78, "MS-0101", file + ":2", "amqp.port");
        }
    }

    @Test
    void aWrongOptionIsAUsageError() throws Exception {
        try (ChildJvm broker = ChildJvm.run(Main.class, "start", "--prot", "1")) {
            assertThat(broker.exitCode()).isEqualTo(64);
            assertThat(broker.err()).contains("--prot").doesNotContain("\tat ");
        }
    }

    private static void assertRefused(ChildJvm broker, int exitCode, String... parts) throws InterruptedException {
        assertThat(broker.exitCode()).as(broker.err()).isEqualTo(exitCode);
        assertThat(broker.err())
                .contains("mainstem: MS-", "fix:")
                .contains(parts)
                .doesNotContain("\tat ");
    }

    private static ChildJvm start(Path data, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("start", "--data", data.toString(), "--set", "amqp.port=0", "--set", "mqtt.port=0"));
        arguments.addAll(List.of(more));
        return ChildJvm.run(Main.class, arguments.toArray(String[]::new));
    }

    private static int port(String endpoint) {
        return Integer.parseInt(endpoint.substring(endpoint.lastIndexOf(':') + 1));
    }
}
