package io.mainstem.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code mainstem snapshot} and {@code mainstem store stats}, as an operator uses them. */
final class SnapshotCommandTest {
    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void aRunningBrokerIsCopiedAndTheCopyRestoredAndStarted() throws IOException {
        Path data = folder.resolve("data");
        Path copy = folder.resolve("copy");
        Path restored = folder.resolve("restored");
        EmbeddedBroker broker = EmbeddedBroker.builder().dataDirectory(data).start();
        Files.writeString(data.resolve("users.yaml"), "users: []\n");
        int made = run("snapshot", "create", copy.toString(), "--data", data.toString());
        broker.close();
        assertThat(made).as(err.toString()).isZero();
        assertThat(run("snapshot", "verify", copy.toString()))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).contains("result      sound");

        assertThat(run("snapshot", "restore", copy.toString(), "--data", restored.toString()))
                .as(err.toString())
                .isZero();

        assertThat(restored.resolve("users.yaml")).hasContent("users: []");
        Files.delete(restored.resolve("users.yaml"));
        EmbeddedBroker.builder().dataDirectory(restored).start().close();
    }

    @Test
    @DisplayName(
            "a broker that is killed, or started anew, while a snapshot is waited for ends the waiting: exit code 74")
    void aBrokerThatDiesIsNotWaitedFor() throws Exception {
        for (boolean startedAnew : List.of(false, true)) {
            Path data = folder.resolve("data-" + startedAnew);
            try (ChildJvm broker = ChildJvm.run(
                    Main.class, "start", "--data", data.toString(), "--set", "amqp.port=0", "--set", "mqtt.port=0")) {
                broker.awaitLine("ready");
                // It does not come to answering.
                new ProcessBuilder("kill", "-STOP", Long.toString(broker.pid()))
                        .start()
                        .waitFor();
                CompletableFuture<Integer> made = CompletableFuture.supplyAsync(() -> run(
                        "snapshot",
                        "create",
                        folder.resolve("copy-" + startedAnew).toString(),
                        "--data",
                        data.toString()));
                await().until(() -> Files.exists(data.resolve("snapshot.request")));

                broker.kill();
                EmbeddedBroker next = startedAnew
                        ? EmbeddedBroker.builder().dataDirectory(data).start()
                        : null;

                assertThat(made.get(50, TimeUnit.SECONDS)).isEqualTo(74);
                assertThat(err.toString()).contains("MS-0125", "pid " + broker.pid(), "fix:");
                if (next != null) {
                    next.close();
                }
            }
        }
    }

    @Test
    void aStoppedBrokersStoreIsCopiedToo() {
        Path data = stoppedBroker();
        Path copy = folder.resolve("copy");

        assertThat(run("snapshot", "create", copy.toString(), "--data", data.toString()))
                .as(err.toString())
                .isZero();
        assertThat(run("snapshot", "verify", copy.toString()))
                .as(err.toString())
                .isZero();
    }

    @Test
    void nothingIsMixed() throws IOException {
        Path data = stoppedBroker();
        Path full = Files.createDirectories(folder.resolve("full"));
        Files.writeString(full.resolve("something"), "here");

        assertThat(run("snapshot", "create", full.toString(), "--data", data.toString()))
                .isEqualTo(73);
        assertThat(err.toString()).contains("MS-0124", "not empty", "fix:");

        Path copy = folder.resolve("copy");
        run("snapshot", "create", copy.toString(), "--data", data.toString());
        assertThat(run("snapshot", "restore", copy.toString(), "--data", data.toString()))
                .isEqualTo(73);
        assertThat(err.toString()).contains("There is a store");
    }

    @Test
    void aSnapshotThatLacksAFileIsNotRestored() throws IOException {
        Path copy = folder.resolve("copy");
        run("snapshot", "create", copy.toString(), "--data", stoppedBroker().toString());
        Files.delete(copy.resolve("store/log/00000000000000000000.log"));

        assertThat(run(
                        "snapshot",
                        "restore",
                        copy.toString(),
                        "--data",
                        folder.resolve("new").toString()))
                .isEqualTo(78);
        assertThat(err.toString()).contains("00000000000000000000.log is missing");
    }

    @Test
    @DisplayName("-o json: one object of the folder when it is made or restored, and one of all that was checked")
    void resultsForPrograms() throws IOException {
        Path data = stoppedBroker();
        Path copy = folder.resolve("copy");
        Path restored = folder.resolve("restored");

        JsonNode made = json("snapshot", "create", copy.toString(), "--data", data.toString(), "-o", "json");
        assertThat(made.get("folder").asText()).isEqualTo(copy.toString());
        JsonNode checked = json("snapshot", "verify", copy.toString(), "-o", "json");
        assertThat(checked.get("sound").asBoolean()).isTrue();
        assertThat(checked.get("problems")).isEmpty();
        JsonNode done = json("snapshot", "restore", copy.toString(), "--data", restored.toString(), "-o", "json");
        assertThat(done.get("folder").asText()).isEqualTo(restored.toString());
    }

    @Test
    @DisplayName("a snapshot that is not as it was listed is not sound, in either form: exit code 78")
    void aSnapshotThatIsNotAsListed() throws IOException {
        Path copy = folder.resolve("copy");
        run("snapshot", "create", copy.toString(), "--data", stoppedBroker().toString());
        Files.writeString(copy.resolve("SNAPSHOT"), "7 users.yaml\n", StandardOpenOption.APPEND);

        assertThat(run("snapshot", "verify", copy.toString())).isEqualTo(78);
        assertThat(out.toString()).contains("DAMAGE", "users.yaml is missing", "result      damaged");
        out.getBuffer().setLength(0);
        assertThat(run("snapshot", "verify", copy.toString(), "-o", "json")).isEqualTo(78);
        JsonNode checked = new ObjectMapper().readTree(out.toString());
        assertThat(checked.get("sound").asBoolean()).isFalse();
        assertThat(checked.get("problems").get(0).asText()).contains("users.yaml is missing");
    }

    @Test
    @DisplayName("a folder without a snapshot: exit code 73, and what was expected there")
    void noSnapshot() {
        for (String verb : List.of("verify", "restore")) {
            err.getBuffer().setLength(0);
            assertThat(run("snapshot", verb, folder.resolve("none").toString(), "--data", folder.toString()))
                    .as(verb)
                    .isEqualTo(73);
            assertThat(err.toString()).contains("MS-0124", "no file SNAPSHOT", "fix:");
        }
    }

    private JsonNode json(String... arguments) throws IOException {
        out.getBuffer().setLength(0);
        assertThat(run(arguments)).as(err.toString()).isZero();
        return new ObjectMapper().readTree(out.toString());
    }

    @Test
    void statsTellFilesAndQueues() throws IOException {
        Path data = stoppedBroker();

        assertThat(run("store", "stats", "--data", data.toString()))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).contains("segments", "checkpoint", "clean stop", "unsettled");

        out.getBuffer().setLength(0);
        assertThat(run("store", "stats", "-o", "json", "--data", data.toString()))
                .isZero();
        assertThat(new ObjectMapper().readTree(out.toString()).get("files")).isNotEmpty();
    }

    @Test
    void aFolderInUseIsNotLookedInto() {
        Path data = folder.resolve("data");
        List<Integer> results = new ArrayList<>();
        try (EmbeddedBroker broker =
                EmbeddedBroker.builder().dataDirectory(data).start()) {
            assertThat(broker.uri()).isNotNull();
            results.add(run("store", "verify", "--data", data.toString()));
            results.add(run("store", "stats", "--data", data.toString()));
            results.add(run("store", "salvage", "--data", data.toString(), "--to", folder + "/new"));
        }
        assertThat(results).containsExactly(75, 75, 75);
        assertThat(err.toString()).contains("MS-0201", "pid");
        assertThat(folder.resolve("new")).doesNotExist();
    }

    private Path stoppedBroker() {
        Path data = folder.resolve("data");
        EmbeddedBroker.builder().dataDirectory(data).start().close();
        return data;
    }

    private int run(String... arguments) {
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
