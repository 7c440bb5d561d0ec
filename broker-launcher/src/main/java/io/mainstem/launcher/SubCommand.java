package io.mainstem.launcher;

import io.mainstem.launcher.lifecycle.ExitCode;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Topic;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code mainstem sub}. */
@Command(
        name = "sub",
        description = "Receives messages of a queue or topic and prints them, until it is stopped or has enough.",
        footer = {
            "%nExamples:",
            "  mainstem sub orders --count 10",
            "  mainstem sub topic://prices.# --selector \"region = 'eu'\" -o json",
            "  mainstem sub topic://prices.eu --durable audit --client-id audit-1",
            "  mainstem sub topic://prices.eu --durable audit --client-id audit-1 --unsubscribe"
        })
final class SubCommand implements Callable<Integer> {
    private static final long LOOK_MS = 1000;

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Mixin
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private ManagementOptions options;

    @Mixin
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private AddressOptions address;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "Ends after so many messages.")
    private long count = Long.MAX_VALUE;

    @Option(
            names = "--timeout",
            paramLabel = "MS",
            description = "Ends when no message has come for so long; exit code 124 if --count is not reached.")
    private long timeoutMs = Long.MAX_VALUE;

    @Option(
            names = {"-s", "--selector"},
            paramLabel = "TEXT",
            description = "Only messages that fit, such as \"region = 'eu' AND n > 3\".")
    private @Nullable String selector;

    @Option(
            names = {"-d", "--durable"},
            paramLabel = "NAME",
            description = "A durable subscription of a topic: keeps messages while nobody listens.")
    private @Nullable String durable;

    @Option(names = "--shared", description = "Several can share the durable subscription.")
    private boolean shared;

    @Option(
            names = "--client-id",
            paramLabel = "ID",
            description = "Client identifier; part of a durable subscription.")
    private @Nullable String clientId;

    @Option(names = "--unsubscribe", description = "Ends the durable subscription instead.")
    private boolean unsubscribe;

    @Option(names = "--headers", description = "Prints headers and properties before each body.")
    private boolean headers;

    @Option(
            names = {"-q", "--quiet"},
            description = "Only counts.")
    private boolean quiet;

    @Override
    public Integer call() throws JMSException {
        check();
        Usage usage = new Usage(spec);
        usage.atLeast("--count", (double) count, 0);
        usage.atLeast("--timeout", (double) timeoutMs, 0);
        if (unsubscribe) {
            try (JMSContext context = options.messaging(clientId).createContext()) {
                context.unsubscribe(durable);
            }
            options.printed().done("subscription '" + durable + "' is gone", null);
            return 0;
        }
        return receive();
    }

    private void check() {
        address.check(spec);
        if (durable != null && !address.isTopic()) {
            throw usage("MS-0141 --durable is for a topic fix: add --topic; a queue keeps its messages by itself.");
        }
        if (durable != null && clientId == null && !shared) {
            throw usage("MS-0142 --durable needs --client-id fix: give one that is always the same, or --shared.");
        }
        if (durable == null && (shared || unsubscribe)) {
            throw usage("MS-0143 --shared and --unsubscribe are about a durable subscription fix: add --durable NAME.");
        }
    }

    private ParameterException usage(String text) {
        return new ParameterException(spec.commandLine(), text);
    }

    private JMSConsumer consumer(JMSContext context) {
        if (durable == null) {
            return context.createConsumer(address.destination(context), selector);
        }
        Topic topic = context.createTopic(address.name());
        return shared
                ? context.createSharedDurableConsumer(topic, durable, selector)
                : context.createDurableConsumer(topic, durable, selector, false);
    }

    private int receive() throws JMSException {
        Progress progress = new Progress(spec.commandLine().getErr(), "received");
        try (StopRequest stop = new StopRequest(stopped -> done(progress, stopped))) {
            // The process goes when this is over: by then the broker has all acknowledgements.
            try (JMSContext context = options.messaging(clientId).createContext()) {
                receive(consumer(context), progress, stop);
            }
            stop.sumUp();
        }
        boolean tooFew = count != Long.MAX_VALUE && progress.count() < count;
        return tooFew ? ExitCode.NO_ANSWER.number() : 0;
    }

    private void receive(JMSConsumer consumer, Progress progress, StopRequest stop) throws JMSException {
        long silentMs = 0;
        while (progress.count() < count && silentMs < timeoutMs && !stop.isMade()) {
            long waitMs = Math.min(LOOK_MS, timeoutMs - silentMs);
            Message message = consumer.receive(waitMs);
            if (message == null) {
                silentMs += waitMs;
                progress.look();
                continue;
            }
            silentMs = 0;
            progress.one();
            if (!quiet) {
                PrintedMessage.print(spec.commandLine().getOut(), options.form(), headers, message);
            }
        }
    }

    /** The sum: what was asked for if only that is printed, else a remark of one who was stopped. */
    private void done(Progress progress, boolean stopped) {
        String sentence = progress.sentence() + " from " + address;
        if (quiet) {
            options.printed().done(sentence, progress.summary());
        } else if (stopped) {
            spec.commandLine().getErr().println(sentence);
            spec.commandLine().getErr().flush();
        }
        spec.commandLine().getOut().flush();
    }
}
