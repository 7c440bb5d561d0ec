package io.mainstem.benchmarks.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
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
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            // The second field is the command's name in brackets and may hold blanks itself.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_A_SECOND;
        } catch (IOException e) {
            throw new UncheckedIOException("process " + pid + " cannot be read", e);
        }
    }
}
