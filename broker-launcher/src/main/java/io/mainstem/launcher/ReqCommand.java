package io.mainstem.launcher;

import io.mainstem.launcher.lifecycle.ExitCode;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.TemporaryQueue;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mainstem req}. */
@Command(
        name = "req",
        description = "Sends a request and prints the answer, which comes to a temporary queue.",
        footer = {"%nExamples:", "  mainstem req prices.lookup '{\"id\": 7}' --timeout 2000"})
final class ReqCommand implements Callable<Integer> {
    private static final long TIMEOUT_MS = 5000;

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Mixin
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private ManagementOptions options;

    @Mixin
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private AddressOptions address;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "TEXT",
            description = "The body; without it, --file and --size, it is the first line of standard input.")
    private @Nullable String text;

    @Mixin
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private MessageOptions messages;

    @Option(names = "--timeout", paramLabel = "MS", description = "How long an answer may take; default 5000.")
    private long timeoutMs = TIMEOUT_MS;

    @Option(names = "--headers", description = "Prints headers and properties before the body.")
    private boolean headers;

    @Override
    public Integer call() throws JMSException, IOException {
        messages.check();
        address.check(spec);
        new Usage(spec).atLeast("--timeout", (double) timeoutMs, 1);
        try (JMSContext context = options.messaging(null).createContext()) {
            TemporaryQueue answers = context.createTemporaryQueue();
            JMSConsumer consumer = context.createConsumer(answers);
            JMSProducer producer = messages.producer(context).setJMSReplyTo(answers);
            Message request = messages.next(context, text, System.in);
            if (request == null) {
                return 0;
            }
            producer.send(address.destination(context), request);
            Message answer = consumer.receive(timeoutMs);
            if (answer == null) {
                spec.commandLine()
                        .getErr()
                        .println("mainstem: MS-0144 no answer from " + address + " within " + timeoutMs
                                + " ms fix: see that somebody consumes there and answers to JMSReplyTo; or allow more time"
                                + " by --timeout.");
                return ExitCode.NO_ANSWER.number();
            }
            PrintedMessage.print(spec.commandLine().getOut(), options.form(), headers, answer);
            return 0;
        }
    }
}
