package io.mainstem.launcher;

import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.QueueBrowser;
import java.util.Enumeration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mainstem browse}. */
@Command(
        name = "browse",
        description = "Prints the messages of a queue and leaves them there.",
        footer = {"%nExamples:", "  mainstem browse orders", "  mainstem browse orders -n 5 --headers -s 'n > 3'"})
final class BrowseCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Mixin
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private ManagementOptions options;

    @Parameters(paramLabel = "QUEUE")
    private String queue = "";

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "At most so many messages.")
    private long count = Long.MAX_VALUE;

    @Option(
            names = {"-s", "--selector"},
            paramLabel = "TEXT",
            description = "Only messages that fit.")
    private @Nullable String selector;

    @Option(names = "--headers", description = "Prints headers and properties before each body.")
    private boolean headers;

    @Override
    public Integer call() throws JMSException {
        new Usage(spec).atLeast("--count", (double) count, 0);
        try (JMSContext context = options.messaging(null).createContext();
                QueueBrowser browser = context.createBrowser(context.createQueue(queue), selector)) {
            Enumeration<?> messages = browser.getEnumeration();
            for (long seen = 0; seen < count && messages.hasMoreElements(); seen++) {
                PrintedMessage.print(
                        spec.commandLine().getOut(), options.form(), headers, (Message) messages.nextElement());
            }
        }
        return 0;
    }
}
