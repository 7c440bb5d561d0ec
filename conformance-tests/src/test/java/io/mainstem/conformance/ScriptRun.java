package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Runs a script that speaks to a broker and prints one JSON object a line: {@code {"case": name, "ok": boolean,
 * "error": text}} for each case, then {@code {"done": count}}.
 */
final class ScriptRun {
    private static final long RUN_SECONDS_MAX = 900;
    private static final ObjectMapper JSON = new ObjectMapper();

    private ScriptRun() {}

    /** One test a case, and one that says whether the script came to its end. */
    static Stream<DynamicTest> tests(String interpreter, Path script, BrokerAddress broker)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("mainstem-script", ".out");
        Path errors = Files.createTempFile("mainstem-script", ".err");
        try {
            Process process = new ProcessBuilder(
                            interpreter, script.toString(), broker.host(), Integer.toString(broker.port()))
                    .redirectOutput(output.toFile())
                    .redirectError(errors.toFile())
                    .start();
            boolean ended = process.waitFor(RUN_SECONDS_MAX, TimeUnit.SECONDS);
            process.destroyForcibly();
            return tests(Files.readAllLines(output), ended, Files.readString(errors));
        } finally {
            Files.delete(output);
            Files.delete(errors);
        }
    }

    private static Stream<DynamicTest> tests(List<String> lines, boolean ended, String errors) throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        int done = -1;
        for (String line : lines) {
            JsonNode result = JSON.readTree(line);
            if (result.has("done")) {
                done = result.get("done").asInt();
                continue;
            }
            tests.add(DynamicTest.dynamicTest(result.get("case").asText(), () -> {
                if (!result.get("ok").asBoolean()) {
                    fail(result.get("error").asText());
                }
            }));
        }
        int told = done;
        int seen = tests.size();
        tests.add(DynamicTest.dynamicTest(
                "the script came to its end",
                () -> assertThat(told)
                        .as("ended=%s, stderr:%n%s", ended, errors)
                        .isEqualTo(seen)
                        .isPositive()));
        return tests.stream();
    }
}
