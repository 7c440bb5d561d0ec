package io.mainstem.benchmarks.scale;

import io.mainstem.benchmarks.measure.Folders;
import io.mainstem.benchmarks.measure.Machine;
import io.mainstem.benchmarks.measure.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench selector}. */
@Command(
        name = "selector",
        description = "A deep queue and a consumer whose selector matches few of its messages: tests for each message.",
        showDefaultValues = true)
public final class SelectorCommand implements Callable<Integer> {
    @Option(names = "--dir", description = "Folder on the disk to use.")
    private Path directory = Path.of("target", "bench");

    @Option(names = "--messages", description = "Durable ones in the queue.")
    private int messages = 1_000_000;

    @Option(names = "--one-in", description = "Of so many messages one matches.")
    private int oneIn = 10_000;

    @Option(names = "--bytes", description = "Of each body.")
    private int bodyBytes = 100;

    @Option(names = "--credit", description = "Messages the consumer asks for at a time.")
    private int credit = 1;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Table table = new Table("pass", "matched", "seconds", "messages looked at/s", "tests", "tests/message");
        try (Folders folders = Folders.below(directory)) {
            Path data = folders.resolve("store");
            try (FilteredQueue queue = FilteredQueue.open(data)) {
                queue.fill(messages, oneIn, bodyBytes);
            }
            // A new process would do the same: nothing of the queue is in memory but its state.
            try (FilteredQueue queue = FilteredQueue.open(data)) {
                row(table, "after a restart, from disk", queue.drain(0, credit));
                row(table, "same selector, new consumer", queue.drain(0, credit));
                row(table, "another selector", queue.drain(1, credit));
            }
        }
        table.print(
                System.out,
                String.format(
                        Locale.ROOT,
                        "Selector on a deep queue: %,d durable messages of %d bytes, 1 in %,d matches, credit %d; %s",
                        messages,
                        bodyBytes,
                        oneIn,
                        credit,
                        Machine.describe()));
        return 0;
    }

    private void row(Table table, String pass, FilteredQueue.Drained drained) {
        table.row(
                pass,
                drained.matched(),
                drained.seconds(),
                messages / drained.seconds(),
                drained.tests(),
                (double) drained.tests() / messages);
    }
}
