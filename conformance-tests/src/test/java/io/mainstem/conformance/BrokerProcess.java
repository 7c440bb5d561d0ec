package io.mainstem.conformance;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The real broker as a child JVM on a port of its own choice. Thread: one at a time.
 *
 * <p>Every wait is bounded; the child's output is kept in a file beside the data folder.
 */
public final class BrokerProcess implements AutoCloseable {
    private static final String MAIN_CLASS = "io.mainstem.launcher.Main";
    private static final String WIRING = "io/mainstem/launcher/EmbeddedBroker.class";
    private static final Duration START_MAX = Duration.ofSeconds(90);
    private static final Duration STOP_MAX = Duration.ofSeconds(60);
    private static final int OUTPUT_SHOWN_BYTES = 16 << 10;

    private final Path data;
    private final Path output;
    private final List<String> settings;
    private final List<String> jvmOptions;
    private int port;
    private Process process;
    private BrokerAddress address;
    private BrokerAddress mqttAddress;
    private Duration startTime;

    private BrokerProcess(Path data, List<String> jvmOptions, List<String> settings) {
        this.jvmOptions = List.copyOf(jvmOptions);
        this.data = data;
        this.output = data.resolveSibling(data.getFileName() + ".output");
        this.settings = List.copyOf(settings);
        launch();
    }

    /** True if the broker's classes are there to be started. */
    static boolean available() {
        return BrokerProcess.class.getClassLoader().getResource(WIRING) != null;
    }

    /**
     * Starts a broker and waits until it says that it is ready.
     *
     * @param data its data folder, made if missing
     * @param settings {@code key=value} as after {@code --set}; the port is set already
     */
    public static BrokerProcess start(Path data, String... settings) {
        return new BrokerProcess(data, List.of(), List.of(settings));
    }

    /** As {@link #start}, with a heap of this size, such as {@code 128m}. */
    static BrokerProcess startWithHeap(Path data, String heap, String... settings) {
        return new BrokerProcess(data, List.of("-Xmx" + heap), List.of(settings));
    }

    /** As {@link #start}, by a JVM that compiles little: for a broker that lives for a second only. */
    public static BrokerProcess startShortLived(Path data, String... settings) {
        return new BrokerProcess(data, List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"), List.of(settings));
    }

    /**
     * Starts a broker that must refuse to run; gives what it wrote.
     *
     * @param data a folder that another broker holds, say
     */
    static String refusal(Path data) {
        try {
            new BrokerProcess(data, List.of(), List.of()).close();
        } catch (IllegalStateException refused) {
            return String.valueOf(refused.getMessage());
        }
        throw new AssertionError("a second broker runs on " + data);
    }

    Path data() {
        return data;
    }

    /** Where it listens now; another port after every restart. */
    BrokerAddress mqttAddress() {
        return mqttAddress;
    }

    /** Where it speaks AMQP. */
    public BrokerAddress address() {
        return address;
    }

    /** Its process id; another after every restart. */
    public long pid() {
        return process.pid();
    }

    /** From the start of the JVM to the ready line, of the latest start. */
    Duration startTime() {
        return startTime;
    }

    /** What a command has written, to standard output and error, and how it ended. */
    record CommandResult(int exitCode, String output) {}

    /** Runs {@code mainstem} in a process of its own, pointed at this broker. */
    CommandResult mainstem(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", classPath(), MAIN_CLASS));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--url", address.uri()));
        Process run = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String written = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new CommandResult(run.waitFor(), written);
        } finally {
            run.destroyForcibly();
        }
    }

    /** SIGKILL; returns when the process is gone. */
    public void kill9() {
        process.destroyForcibly();
        waitForExit();
    }

    /** SIGTERM; returns the exit code. */
    int terminate() {
        process.destroy();
        return waitForExit();
    }

    /** Starts it again on the same data, after {@link #kill9} or {@link #terminate}. */
    public void restart() {
        port = 0;
        again();
    }

    /** As {@link #restart}, and clients find it where it was. */
    public void restartOnSamePort() {
        port = address.port();
        again();
    }

    private void again() {
        if (process.isAlive()) {
            throw new IllegalStateException("broker " + pid() + " still runs");
        }
        launch();
    }

    /** Starts it again and kills it, ready or not, after so long. */
    void restartAndKillAfter(Duration wait) {
        try {
            spawn();
            if (process.waitFor(wait.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("broker ended by itself; its output:\n" + output());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            kill9();
        }
    }

    /** The end of what it wrote to stdout and stderr in all its starts. */
    String output() {
        try {
            byte[] all = Files.readAllBytes(output);
            int from = Math.max(0, all.length - OUTPUT_SHOWN_BYTES);
            return new String(all, from, all.length - from, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "no output: " + e;
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        waitForExit();
    }

    private void launch() {
        long started = System.nanoTime();
        try {
            Files.createDirectories(data);
            long earlierBytes = Files.exists(output) ? Files.size(output) : 0;
            spawn();
            // A killed broker leaves its endpoints file behind, so only the ready line says that the file is new.
            await("broker ready")
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(20))
                    .atMost(START_MAX)
                    .until(() -> saysReady(earlierBytes) || !process.isAlive());
            startTime = Duration.ofNanos(System.nanoTime() - started);
            address = readAddress("amqp");
            mqttAddress = readAddress("mqtt");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            process.destroyForcibly();
            throw new IllegalStateException("broker did not start; its output:\n" + output(), e);
        }
    }

    private void spawn() throws IOException {
        process = new ProcessBuilder(command())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                .start();
    }

    private List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + System.getProperty("mainstem.conformance.heap", "1g"));
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", classPath(), MAIN_CLASS, "start", "--data", data.toString()));
        command.addAll(List.of("--set", "amqp.port=" + port, "--set", "mqtt.port=0"));
        settings.forEach(setting -> command.addAll(List.of("--set", setting)));
        return command;
    }

    /** Ours without the tests, whose logging configuration is not the broker's. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.endsWith("test-classes") && !entry.endsWith("test-classes/"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private boolean saysReady(long fromByte) throws IOException {
        byte[] all = Files.readAllBytes(output);
        String now = new String(all, (int) fromByte, all.length - (int) fromByte, StandardCharsets.UTF_8);
        return now.lines().anyMatch(line -> line.startsWith("ready"));
    }

    private BrokerAddress readAddress(String listener) throws IOException {
        if (!process.isAlive()) {
            throw new IllegalStateException("exit code " + process.exitValue());
        }
        return Files.readAllLines(data.resolve("endpoints")).stream()
                .filter(line -> line.startsWith(listener + "="))
                .map(line -> BrokerAddress.parse(line.substring(listener.length() + 1)))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalStateException("no " + listener + " line in " + data.resolve("endpoints")));
    }

    private int waitForExit() {
        try {
            if (!process.waitFor(STOP_MAX.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("broker " + pid() + " did not end; its output:\n" + output());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
