package io.mainstem.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A Java process of a test with what it printed; killed when the test leaves it behind. Thread: the test's. */
public final class ChildJvm implements AutoCloseable {
    private static final long PATIENCE_S = 120;

    private final Process process;
    private final CompletableFuture<String> err;
    private final BufferedReader out;
    private final List<String> seen = new ArrayList<>();

    private ChildJvm(Process process) {
        this.process = process;
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.err = CompletableFuture.supplyAsync(() -> text(process.getErrorStream()));
    }

    /** Runs a main class with this test's class path. */
    public static ChildJvm run(Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        return new ChildJvm(new ProcessBuilder(command).start());
    }

    /** Reads standard output up to a line that begins so, and returns it. */
    public String awaitLine(String beginning) throws IOException {
        String line = out.readLine();
        while (line != null) {
            seen.add(line);
            if (line.startsWith(beginning)) {
                return line;
            }
            line = out.readLine();
        }
        throw new AssertionError("no line '" + beginning + "' in " + seen + ", standard error: " + err.join());
    }

    public long pid() {
        return process.pid();
    }

    /** SIGTERM; unlike {@link Process#destroy} it leaves the streams open. */
    public void terminate() {
        assertThat(process.toHandle().destroy()).isTrue();
    }

    /** SIGKILL; returns when the process is gone. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        exitCode();
    }

    /** Waits for the end. */
    public int exitCode() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE_S, TimeUnit.SECONDS))
                .as("process ended")
                .isTrue();
        return process.exitValue();
    }

    /** All of standard error; waits for the end. */
    public String err() {
        return err.join();
    }

    /** The lines that were read so far. */
    public List<String> lines() {
        return List.copyOf(seen);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private static String text(InputStream in) {
        try (in) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
