package io.mainstem.benchmarks.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** {@code bench jmh}. */
@Command(
        name = "jmh",
        description = "Microbenchmarks of the store. What follows goes to JMH: a pattern, or -h for its options.")
public final class JmhCommand implements Callable<Integer> {
    @Unmatched
    private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        CommandLineOptions options = new CommandLineOptions(arguments.toArray(String[]::new));
        if (options.shouldHelp()) {
            options.showHelp();
            return 0;
        }
        new Runner(options).run();
        return 0;
    }
}
