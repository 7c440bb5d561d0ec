package io.mainstem.launcher;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;

/** Counts what a messaging command does, and says so now and then on standard error. Thread: one. */
final class Progress {
    private static final long INTERVAL_NANOS = 5_000_000_000L;
    private static final double NANOS_PER_SECOND = 1e9;

    private final PrintWriter err;
    private final String verb;
    private final long startNanos = System.nanoTime();
    private long nextNanos = startNanos + INTERVAL_NANOS;
    private long lastCount;
    private long count;

    /** @param verb "sent" or "received" */
    Progress(PrintWriter err, String verb) {
        this.err = err;
        this.verb = verb;
    }

    void one() {
        reached(count + 1);
    }

    /** So many in all. */
    void reached(long all) {
        count = all;
        look();
    }

    /** Says how far it is if it is time. */
    void look() {
        long now = System.nanoTime();
        if (now - nextNanos >= 0) {
            double seconds = (now - nextNanos + INTERVAL_NANOS) / NANOS_PER_SECOND;
            err.println(verb + " " + counted() + ", now " + Math.round((count - lastCount) / seconds) + "/s");
            err.flush();
            lastCount = count;
            nextNanos = now + INTERVAL_NANOS;
        }
    }

    long count() {
        return count;
    }

    /** When the message after so many is due at this many a second, {@link System#nanoTime}. */
    long dueNanos(long before, double ratePerSecond) {
        return startNanos + (long) (before / ratePerSecond * NANOS_PER_SECOND);
    }

    private double seconds() {
        return Math.max(1, System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    }

    String sentence() {
        return String.format(
                Locale.ROOT, "%s %s in %.3f s (%d/s)", verb, counted(), seconds(), Math.round(count / seconds()));
    }

    private String counted() {
        return count == 1 ? "1 message" : count + " messages";
    }

    Map<String, Object> summary() {
        return Map.of(verb, count, "seconds", seconds(), "rate", count / seconds());
    }
}
