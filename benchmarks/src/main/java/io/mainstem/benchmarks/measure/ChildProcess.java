package io.mainstem.benchmarks.measure;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A child process, most often a JVM; ready as soon as it prints a certain line. What it prints goes to a file. Thread:
 * one.
 */
public final class ChildProcess implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("^ready");
    /** Errors and warnings only: what a broker would log at lower levels is not what is measured. */
    private static final String LOGGING = "-Dlogback.configurationFile=bench-logback.xml";

    private static final Duration START_MAX = Duration.ofMinutes(2);
    private static final Duration STOP_MAX = Duration.ofSeconds(30);
    private static final Pattern HISTOGRAM_TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)\\s*$");

    private final Process process;
    private final String readyLine;
    private final double readySeconds;

    private ChildProcess(Process process, String readyLine, double readySeconds) {
        this.process = process;
        this.readyLine = readyLine;
        this.readySeconds = readySeconds;
    }

    /**
     * Starts a JVM and waits until it is ready.
     *
     * @param options of the JVM
     * @param mainAndArguments class with {@code main}, and what it is given
     * @param log takes all it prints
     */
    public static ChildProcess start(List<String> options, List<String> mainAndArguments, Path log) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add(LOGGING);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.addAll(mainAndArguments);
        return start(new ProcessBuilder(command), READY, log);
    }

    /**
     * Starts this repository's broker as its users do, by {@code ./mainstem}, and waits until it is ready.
     *
     * @param options of the JVM, after those of the script
     * @param arguments of the command
     * @param log takes all it prints
     */
    public static ChildProcess mainstem(List<String> options, List<String> arguments, Path log) throws IOException {
        Path script = Path.of(System.getProperty("mainstem.home", "."), "mainstem");
        List<String> command = new ArrayList<>(List.of(script.toAbsolutePath().toString()));
        command.addAll(arguments);
        ProcessBuilder process = new ProcessBuilder(command);
        process.environment().put("JAVA_HOME", System.getProperty("java.home"));
        process.environment().put("MAINSTEM_JAVA_OPTS", String.join(" ", options));
        return start(process, READY, log);
    }

    /**
     * Starts a command and waits until it prints a line with {@code readyText}.
     *
     * @param log takes all it prints
     */
    public static ChildProcess command(List<String> command, String readyText, Path log) throws IOException {
        return start(new ProcessBuilder(command), Pattern.compile(Pattern.quote(readyText)), log);
    }

    private static ChildProcess start(ProcessBuilder builder, Pattern readyLine, Path log) throws IOException {
        long begin = System.nanoTime();
        Process process = builder.redirectErrorStream(true).start();
        CompletableFuture<String> ready = new CompletableFuture<>();
        Thread reader = new Thread(() -> copyOutput(process, log, readyLine, ready), "child-output");
        reader.setDaemon(true);
        reader.start();
        try {
            String line = ready.get(START_MAX.toSeconds(), TimeUnit.SECONDS);
            return new ChildProcess(process, line, (System.nanoTime() - begin) / 1e9);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            process.destroyForcibly();
            throw new IOException(builder.command().get(0) + " did not get ready, see " + log, e);
        }
    }

    private static void copyOutput(Process process, Path log, Pattern readyLine, CompletableFuture<String> ready) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
                var out = Files.newBufferedWriter(log)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                out.write(line);
                out.newLine();
                out.flush();
                if (readyLine.matcher(line).find()) {
                    ready.complete(line);
                }
            }
        } catch (IOException e) {
            ready.completeExceptionally(e);
        }
        ready.completeExceptionally(new IOException("it ended before it was ready"));
    }

    public long pid() {
        return process.pid();
    }

    /** The line that told that it was ready. */
    public String readyLine() {
        return readyLine;
    }

    /** Seconds from the start of the process to its ready line. */
    public double readySeconds() {
        return readySeconds;
    }

    /** Bytes of this machine's memory that it takes now (resident set size). Linux only. */
    public long residentBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid()), "status"))) {
            if (line.startsWith("VmRSS:")) {
                return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("/proc tells no resident set size of process " + pid());
    }

    /** Bytes that live on its heap, after a full collection that this call asks for. */
    public long liveHeapBytes() throws IOException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process histogram = new ProcessBuilder(jcmd.toString(), Long.toString(pid()), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        try (InputStream in = histogram.getInputStream()) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            Matcher total = HISTOGRAM_TOTAL.matcher(text);
            if (!total.find()) {
                throw new IOException("jcmd GC.class_histogram printed no total: "
                        + text.lines().findFirst());
            }
            return Long.parseLong(total.group(1));
        }
    }

    /** Ends it as {@code kill -9} does, and waits until it is gone. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Ends it by SIGTERM, or by force if it does not go. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_MAX.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
