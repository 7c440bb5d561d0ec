package io.mainstem.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreCommandTest {
    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void aBrokerHasLeftAStore() {
        EmbeddedBroker.builder().dataDirectory(folder).start().close();
    }

    @Test
    void aSoundStoreIsVerified() {
        assertThat(run("store", "verify")).as(err.toString()).isZero();
        assertThat(out.toString()).contains("segments", "checkpoint", "result      sound");
    }

    @Test
    void theResultIsThereForProgramsToo() throws IOException {
        assertThat(run("store", "verify", "-o", "json")).as(err.toString()).isZero();

        JsonNode result = new ObjectMapper().readTree(out.toString());
        assertThat(result.get("sound").asBoolean()).isTrue();
        assertThat(result.get("log").get("segments").asInt()).isPositive();
        assertThat(result.get("damages")).isEmpty();
        assertThat(result.get("checkpoints")).isNotEmpty();
    }

    @Test
    void damageIsNamedWithItsFile() throws IOException {
        for (String checkpoint : folder.resolve("store/ckpt").toFile().list()) {
            damage(folder.resolve("store/ckpt").resolve(checkpoint));
        }

        assertThat(run("store", "verify")).isEqualTo(78);
        assertThat(out.toString()).contains("DAMAGE", ".ckp", "result      damaged");
    }

    @Test
    void theRecordsOfTheLogAreDumped() throws IOException {
        assertThat(run("store", "dump", "-o", "json")).as(err.toString()).isZero();

        JsonNode first =
                new ObjectMapper().readTree(out.toString().lines().findFirst().orElseThrow());
        assertThat(first.get("type").asText()).isEqualTo("EPOCH");
        assertThat(first.get("lsn").asLong()).isPositive();
    }

    @Test
    @DisplayName("a dump is cut by --from and --limit; damage in what was durable: exit code 78")
    void partsOfADump() throws IOException {
        assertThat(run("store", "dump", "--limit", "1")).as(err.toString()).isZero();
        assertThat(out.toString().lines()).singleElement().asString().contains("EPOCH");
        out.getBuffer().setLength(0);
        assertThat(run("store", "dump", "--from", "9000000000", "-o", "json"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).isEmpty();

        Path segment = folder.resolve("store/log/00000000000000000000.log");
        try (RandomAccessFile open = new RandomAccessFile(segment.toFile(), "rw")) {
            open.seek(512 + 40);
            open.write("damaged!".getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(run("store", "dump")).isEqualTo(78);
        assertThat(run("store", "verify")).isEqualTo(78);
    }

    @Test
    @DisplayName("a form of output that is none: exit code 64, naming those there are")
    void wrongForm() {
        assertThat(run("store", "stats", "-o", "xml")).isEqualTo(64);
        assertThat(err.toString()).contains("xml");
    }

    @Test
    void whereThereIsNoStoreThatIsSaid() {
        for (String verb : List.of("verify", "dump", "stats")) {
            err.getBuffer().setLength(0);
            assertThat(run(folder.resolve("none"), "store", verb)).as(verb).isEqualTo(78);
            assertThat(err.toString())
                    .contains("MS-0203", folder.resolve("none").toString(), "fix:");
        }
        err.getBuffer().setLength(0);
        assertThat(run(folder.resolve("none"), "store", "salvage", "--to", folder + "/new"))
                .isEqualTo(78);
        assertThat(err.toString()).contains("MS-0203", "fix:");
        assertThat(folder.resolve("new")).doesNotExist();
        assertThat(folder.resolve("none")).doesNotExist();
    }

    @Test
    @DisplayName("[L-11] what is left is salvaged into another folder; the exit code tells whether it is all")
    void salvage() throws IOException {
        Path target = folder.resolve("new");
        assertThat(run("store", "salvage", "--to", target.toString()))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).contains("result      complete");
        EmbeddedBroker.builder().dataDirectory(target).start().close();

        for (String checkpoint : folder.resolve("store/ckpt").toFile().list()) {
            damage(folder.resolve("store/ckpt").resolve(checkpoint));
        }
        Path another = folder.resolve("another");
        assertThat(run("store", "salvage", "--to", another.toString(), "-o", "json"))
                .isEqualTo(65);
        JsonNode result = new ObjectMapper().readTree(out.toString().lines().reduce("", (a, b) -> b));
        assertThat(result.get("complete").asBoolean()).isFalse();
        assertThat(result.get("leftOutFiles").asInt()).isPositive();
        EmbeddedBroker.builder().dataDirectory(another).start().close();

        assertThat(run("store", "salvage", "--to", another.toString())).isEqualTo(78);
        assertThat(err.toString()).contains("MS-0251");
    }

    private int run(String... arguments) {
        return run(folder, arguments);
    }

    private int run(Path data, String... arguments) {
        String[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "--data";
        all[arguments.length + 1] = data.toString();
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(all);
    }

    private static void damage(Path file) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(8);
            open.write("damaged!".getBytes(StandardCharsets.US_ASCII));
        }
    }
}
