package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The {@code mainstem} script of the work tree, with the build that was just made. */
@Timeout(300)
final class WrapperScriptTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Path SCRIPT = ROOT.resolve("mainstem");
    private static final Duration START_MAX = Duration.ofSeconds(2);
    private static final List<String> TOOLS = List.of(
            "bash",
            "env",
            "readlink",
            "dirname",
            "sed",
            "find",
            "head",
            "touch",
            "mkdir",
            "tee",
            "grep",
            "cat",
            "flock");

    @TempDir
    Path folder;

    @BeforeAll
    static void thereIsABuild() {
        Path target = ROOT.resolve("broker-launcher/target");
        assumeTrue(
                Files.exists(target.resolve("mainstem.jar")) || Files.exists(target.resolve("fast/mainstem.jar")),
                "broker-launcher is not packaged; run: mvn verify");
    }

    @Test
    void startsFromAnyFolderThroughASymbolicLinkAndStopsOnSigterm() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), SCRIPT);
        ProcessBuilder command =
                new ProcessBuilder(link.toString(), "start", "--set", "amqp.port=0", "--set", "mqtt.port=0");
        Process broker = command.directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertThat(readyLine(broker)).startsWith("ready amqp=127.0.0.1:");
            assertThat(folder.resolve("data/endpoints")).exists();

            broker.destroy();

            assertThat(broker.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(broker.exitValue()).isZero();
            assertThat(folder.resolve("data/endpoints")).doesNotExist();
        } finally {
            broker.destroyForcibly();
        }
    }

    @Test
    void acceptsConnectionsWithinTwoSecondsOnceBuilt() throws Exception {
        Duration best = Duration.ofDays(1);
        Duration cpu = Duration.ofDays(1);
        // What it can do is the best of some rounds: others use this machine, too.
        for (int round = 0; round < 3 || (best.compareTo(START_MAX) >= 0 && round < 10); round++) {
            long started = System.nanoTime();
            Process broker = new ProcessBuilder(
                            SCRIPT.toString(),
                            "start",
                            "--set",
                            "amqp.port=0",
                            "--set",
                            "mqtt.port=0",
                            "--data",
                            folder.toString())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                readyLine(broker);
                best = shorter(best, Duration.ofNanos(System.nanoTime() - started));
                cpu = shorter(cpu, broker.info().totalCpuDuration().orElse(Duration.ZERO));
            } finally {
                broker.destroyForcibly().waitFor();
            }
        }

        // Where other programs want the processors too, the wall clock is about them; what the start costs is not.
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        boolean busy = load > 2 * Runtime.getRuntime().availableProcessors();
        assertThat(busy ? cpu : best)
                .as("load %.1f, wall %s, cpu %s", load, best, cpu)
                .isLessThan(START_MAX);
    }

    @Test
    void withoutJavaItSaysWhatToInstall() throws Exception {
        Run run = run(SCRIPT, "version", "JAVA_HOME=", "PATH=" + tools());

        assertThat(run.exitCode).isEqualTo(69);
        assertThat(run.output).contains("no Java found", "fix:", "17");
    }

    @Test
    void anOldJavaIsNamedWithTheVersionThatIsNeeded() throws Exception {
        Path home = folder.resolve("jdk");
        Files.createDirectories(home.resolve("bin"));
        Path java = Files.writeString(home.resolve("bin/java"), "#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();

        Run run = run(SCRIPT, "version", "JAVA_HOME=" + home);

        assertThat(run.exitCode).isEqualTo(69);
        assertThat(run.output).contains(home.toString(), "11.0.2", "17 or newer", "fix:");
    }

    @Test
    void theFirstUseWithoutMavenSaysWhatToInstall() throws Exception {
        Path copy = Files.copy(SCRIPT, folder.resolve("mainstem"));
        assertThat(copy.toFile().setExecutable(true)).isTrue();

        Files.createFile(folder.resolve("pom.xml"));

        Run run = run(copy, "build", "JAVA_HOME=" + System.getProperty("java.home"), "PATH=" + tools());

        assertThat(run.exitCode).isEqualTo(69);
        assertThat(run.output).contains("no Maven", "fix:", "3.8.7");
    }

    /** A folder with the tools that the script may count on, and without Java and Maven. */
    private Path tools() throws IOException {
        Path tools = Files.createDirectory(folder.resolve("tools"));
        for (String tool : TOOLS) {
            Path found = Files.exists(Path.of("/usr/bin", tool)) ? Path.of("/usr/bin", tool) : Path.of("/bin", tool);
            Files.createSymbolicLink(tools.resolve(tool), found);
        }
        return tools;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static String readyLine(Process broker) throws IOException {
        BufferedReader out = new BufferedReader(new InputStreamReader(broker.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        while (line != null && !line.startsWith("ready")) {
            line = out.readLine();
        }
        return String.valueOf(line);
    }

    private static Run run(Path script, String verb, String... environment) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("/usr/bin/env"));
        command.addAll(List.of(environment));
        command.addAll(List.of(script.toString(), verb));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output);
    }

    private record Run(int exitCode, String output) {}
}
