package io.mainstem.conformance;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A client library that Maven cannot bring.
 *
 * @param name as its users call it
 * @param probe arguments that make an interpreter succeed only if the library is there
 * @param interpreters tried in this order
 * @param install the command that brings the library
 */
record ForeignClient(String name, List<String> probe, List<String> interpreters, String install) {
    private static final int PROBE_SECONDS_MAX = 60;

    static final ForeignClient RHEA = new ForeignClient(
            "rhea (npm)",
            List.of("-e", "require('rhea')"),
            interpreters("MAINSTEM_NODE", "node", "nodejs"),
            "apt-get install -y nodejs npm && (cd conformance-tests && npm ci)");

    // Debian's package serves Debian's interpreter, which need not be the first on the path.
    static final ForeignClient PROTON = new ForeignClient(
            "python3-qpid-proton",
            List.of("-c", "import proton"),
            interpreters("MAINSTEM_PYTHON", "/usr/bin/python3", "python3"),
            "apt-get install -y python3-qpid-proton");

    static final ForeignClient MQTT_JS = new ForeignClient(
            "MQTT.js (npm)",
            List.of("-e", "require('mqtt')"),
            interpreters("MAINSTEM_NODE", "node", "nodejs"),
            "apt-get install -y nodejs npm && (cd conformance-tests && npm ci)");

    static final ForeignClient PAHO_PYTHON = new ForeignClient(
            "python3-paho-mqtt",
            List.of("-c", "import paho.mqtt.client"),
            interpreters("MAINSTEM_PYTHON", "/usr/bin/python3", "python3"),
            "apt-get install -y python3-paho-mqtt");

    static final ForeignClient MOSQUITTO = new ForeignClient(
            "mosquitto-clients",
            // The commands answer --version with exit code 1.
            List.of("-c", "command -v mosquitto_sub && command -v mosquitto_pub"),
            List.of("sh"),
            "apt-get install -y mosquitto-clients");

    /**
     * The interpreter that has the library. Without one the test is skipped, or fails where the environment says
     * {@code MAINSTEM_REQUIRE_CLIENTS=1}.
     */
    String require() {
        Optional<String> found = interpreters.stream().filter(this::succeeds).findFirst();
        String missing = "foreign client missing: " + name + " (install: " + install + ")";
        if (found.isEmpty()) {
            // Printed as well, because a skipped test's reason does not reach the console.
            System.err.println(missing);
            if ("1".equals(System.getenv("MAINSTEM_REQUIRE_CLIENTS"))) {
                throw new AssertionError(missing);
            }
        }
        assumeTrue(found.isPresent(), missing);
        return found.orElseThrow();
    }

    private boolean succeeds(String interpreter) {
        try {
            Process process = new ProcessBuilder(Stream.concat(Stream.of(interpreter), probe.stream())
                            .toList())
                    .directory(Path.of("").toAbsolutePath().toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            boolean ended = process.waitFor(PROBE_SECONDS_MAX, TimeUnit.SECONDS);
            process.destroyForcibly();
            return ended && process.exitValue() == 0;
        } catch (IOException e) {
            return false; // no such interpreter
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static List<String> interpreters(String variable, String... others) {
        return Stream.concat(Stream.ofNullable(System.getenv(variable)), Stream.of(others))
                .toList();
    }
}
