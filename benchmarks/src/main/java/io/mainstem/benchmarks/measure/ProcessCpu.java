package io.mainstem.benchmarks.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** CPU time of a process of this machine, from {@code /proc/<pid>/stat}. Linux only. Thread: any. */
public final class ProcessCpu {
    /** Ticks of a second in {@code /proc}; Linux shows 100 to every program, whatever the kernel's own clock is. */
    private static final double TICKS_A_SECOND = 100;

    private ProcessCpu() {}

    /**
     * User and system time of all threads since the process began, in seconds, to 10 ms.
     *
     * @throws UncheckedIOException if there is no such process
     */
    public static double seconds(long pid) {
        try {
            return seconds(Path.of("/proc", Long.toString(pid)));
        } catch (IOException e) {
            throw new UncheckedIOException("process " + pid + " cannot be read", e);
        }
    }

    /**
     * The part of {@link #seconds} that a JVM's compiler threads have taken: how far it is from being warm.
     *
     * @throws UncheckedIOException if there is no such process
     */
    public static double compilerSeconds(long pid) {
        double seconds = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                String name = Files.readString(thread.resolve("comm"));
                if (name.startsWith("C1 Compiler") || name.startsWith("C2 Compiler")) {
                    seconds += seconds(thread);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("threads of process " + pid + " cannot be read", e);
        }
        return seconds;
    }

    /**
     * How often threads that live now have gone to sleep and were woken again (voluntary context switches): what
     * hand-offs between threads cost, whatever else the machine is doing.
     *
     * @throws UncheckedIOException if there is no such process
     */
    public static long wakeUps(long pid) {
        long switches = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                for (String line : Files.readAllLines(thread.resolve("status"))) {
                    if (line.startsWith("voluntary_ctxt_switches:")) {
                        switches += Long.parseLong(line.replaceAll("\\D", ""));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("threads of process " + pid + " cannot be read", e);
        }
        return switches;
    }

    private static double seconds(Path processOrThread) throws IOException {
        String stat = Files.readString(processOrThread.resolve("stat"));
        // The second field is the command's name in brackets and may hold blanks itself.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_A_SECOND;
    }
}
