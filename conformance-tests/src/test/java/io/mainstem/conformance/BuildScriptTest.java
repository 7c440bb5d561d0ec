package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When the {@code mainstem} script builds, and what that does to what runs: a tree of its own, with a Maven that only pretends. */
@Timeout(120)
final class BuildScriptTest {
    /** What stands in for the broker: says what it was called with, and stays until its standard input ends. */
    static final class Said {
        private Said() {}

        public static void main(String[] arguments) throws IOException {
            System.out.println("ran " + String.join(" ", arguments));
            System.out.flush();
            // The trial run of a new build, whose class data are kept, has nothing on its standard input.
            while (System.in.read() >= 0) {}
        }
    }

    @TempDir
    Path home;

    private Path source;

    @BeforeEach
    void aTreeThatWasNeverBuilt() throws Exception {
        Files.copy(Path.of("").toAbsolutePath().getParent().resolve("mainstem"), home.resolve("mainstem"));
        assertThat(home.resolve("mainstem").toFile().setExecutable(true)).isTrue();
        Files.createFile(home.resolve("pom.xml"));
        for (String module : List.of(
                "core-store",
                "routing",
                "transport",
                "protocol-amqp",
                "protocol-mqtt",
                "protocol-jms",
                "broker-launcher")) {
            Files.createDirectories(home.resolve(module + "/src/main"));
            Files.createFile(home.resolve(module + "/pom.xml"));
        }
        source = Files.createFile(home.resolve("routing/src/main/Router.java"));
        writeJar(home.resolve("said.jar"));
        Path maven =
                Files.writeString(Files.createDirectories(home.resolve("bin")).resolve("mvn"), """
                #!/usr/bin/env bash
                cd "$(dirname "$0")/.."
                echo begin >>builds
                mkdir -p broker-launcher/target/start/lib
                cp said.jar broker-launcher/target/start/mainstem.jar
                sleep 0.3
                echo end >>builds
                """);
        assertThat(maven.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void aCommandOtherThanStartNeverBuildsWhateverChanged() throws Exception {
        ended("build");
        changeSource();

        Ended list = ended("queue", "list");

        assertThat(list.output).contains("ran queue list");
        assertThat(builds()).hasSize(2);
    }

    @Test
    void aCommandOtherThanStartSaysThatNothingIsBuiltYet() throws Exception {
        Ended list = ended("queue", "list");

        assertThat(list.exitCode).isEqualTo(69);
        assertThat(list.output).contains("nothing is built yet", "fix:", "mainstem start");
        assertThat(home.resolve("builds")).doesNotExist();
    }

    @Test
    void startsAtTheSameTimeBuildOnceOneAfterTheOther() throws Exception {
        List<Process> starts = new ArrayList<>();
        for (int at = 0; at < 3; at++) {
            starts.add(started("start"));
        }

        for (Process start : starts) {
            assertThat(output(start)).contains("ran start");
        }
        assertThat(builds()).containsExactly("begin", "end");
    }

    @Test
    void aBuildLeavesWhatRunsItsJar() throws Exception {
        ended("build");
        Process running = started("sub", "orders");
        assertThat(running.inputReader().readLine()).isEqualTo("ran sub orders");
        Path its = home.resolve("dist/current").toRealPath();
        changeSource();

        ended("build");
        Path next = home.resolve("dist/current").toRealPath();
        assertThat(next).isNotEqualTo(its);
        assertThat(its.resolve("mainstem.jar")).exists();

        running.getOutputStream().close();
        running.waitFor();
        changeSource();
        ended("build");
        assertThat(its).doesNotExist();
        assertThat(next).doesNotExist();
    }

    @Test
    void whatMavenVerifyMadeIsTakenWithoutBuildingAgain() throws Exception {
        ended("build");
        changeSource();
        Path checked = home.resolve("broker-launcher/target");
        Files.createDirectories(checked.resolve("lib"));
        Files.copy(home.resolve("said.jar"), checked.resolve("mainstem.jar"));
        Files.setLastModifiedTime(
                checked.resolve("mainstem.jar"), FileTime.from(Instant.now().plusSeconds(5)));

        ended("build");

        assertThat(builds()).hasSize(2);
        assertThat(Files.getLastModifiedTime(home.resolve("dist/current/sources")))
                .isEqualTo(Files.getLastModifiedTime(checked.resolve("mainstem.jar")));
    }

    @Test
    void aFailedBuildLeavesTheFormerOne() throws Exception {
        ended("build");
        Path former = home.resolve("dist/current").toRealPath();
        Files.writeString(home.resolve("bin/mvn"), "#!/bin/sh\necho '[ERROR] no'\nexit 1\n");
        changeSource();

        Ended build = ended("build");

        assertThat(build.exitCode).isEqualTo(69);
        assertThat(build.output).contains("the build failed", "[ERROR] no", "fix:");
        assertThat(home.resolve("dist/current").toRealPath()).isEqualTo(former);
        assertThat(ended("queue", "list").output).contains("ran queue list");
    }

    @Test
    void aHeapThatIsGivenMayBeSmallerThanOurFirstSize() throws Exception {
        ended("build");

        Process small = started(List.of("MAINSTEM_JAVA_OPTS=-Xmx40m"), "queue", "list");

        assertThat(output(small)).contains("ran queue list");
    }

    private List<String> builds() throws IOException {
        return Files.readAllLines(home.resolve("builds"));
    }

    private void changeSource() throws IOException {
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(1)));
    }

    private Ended ended(String... arguments) throws Exception {
        Process process = started(arguments);
        String output = output(process);
        return new Ended(process.exitValue(), output);
    }

    private static String output(Process process) throws Exception {
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    private Process started(String... arguments) throws IOException {
        return started(List.of(), arguments);
    }

    private Process started(List<String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("/usr/bin/env"));
        command.add("JAVA_HOME=" + System.getProperty("java.home"));
        command.add("PATH=" + home.resolve("bin") + ":/usr/bin:/bin");
        command.addAll(environment);
        command.add(home.resolve("mainstem").toString());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static void writeJar(Path file) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Said.class.getName());
        String entry = Said.class.getName().replace('.', '/') + ".class";
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out, manifest);
                var bytes = Said.class.getClassLoader().getResourceAsStream(entry)) {
            jar.putNextEntry(new JarEntry(entry));
            bytes.transferTo(jar);
        }
    }

    private record Ended(int exitCode, String output) {}
}
