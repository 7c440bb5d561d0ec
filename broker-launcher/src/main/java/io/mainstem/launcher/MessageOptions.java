package io.mainstem.launcher;

import jakarta.jms.BytesMessage;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What is sent, and how. */
final class MessageOptions {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "The body is the content of a file.")
    private @Nullable Path file;

    @Option(names = "--size", paramLabel = "BYTES", description = "The body is so many letters.")
    private int size = -1;

    @Option(names = "--bytes", description = "Sends bytes instead of text.")
    private boolean bytes;

    @Option(
            names = {"-H", "--header"},
            paramLabel = "NAME=VALUE",
            description = "A property; whole numbers and true or false are what they look like. May be repeated.")
    private Map<String, String> properties = new LinkedHashMap<>();

    @Option(names = "--correlation-id", paramLabel = "ID", description = "JMSCorrelationID")
    private @Nullable String correlationId;

    @Option(names = "--type", paramLabel = "TEXT", description = "JMSType")
    private @Nullable String type;

    @Option(names = "--priority", paramLabel = "0-9", description = "Default 4.")
    private int priority = Message.DEFAULT_PRIORITY;

    @Option(names = "--ttl", paramLabel = "MS", description = "Time to live in milliseconds; default: for ever.")
    private long ttlMs;

    @Option(names = "--delay", paramLabel = "MS", description = "Not delivered before so many milliseconds.")
    private long delayMs;

    @Option(names = "--transient", description = "Does not survive a restart of the broker.")
    private boolean notDurable;

    private @Nullable BufferedReader lines;

    JMSProducer producer(JMSContext context) {
        return context.createProducer()
                .setDeliveryMode(notDurable ? DeliveryMode.NON_PERSISTENT : DeliveryMode.PERSISTENT)
                .setPriority(priority)
                .setTimeToLive(ttlMs)
                .setDeliveryDelay(delayMs);
    }

    /** @throws ParameterException if a number cannot be meant */
    void check() {
        Usage usage = new Usage(spec);
        usage.within("--priority", priority, 0, 9);
        usage.atLeast("--ttl", (double) ttlMs, 0);
        usage.atLeast("--delay", (double) delayMs, 0);
        usage.atLeast("--size", size, spec.commandLine().getParseResult().hasMatchedOption("--size") ? 0 : -1);
    }

    /** Whether each message is another line of standard input. */
    boolean readsLines(@Nullable String text) {
        return text == null && file == null && size < 0;
    }

    /**
     * The next message; null at the end of standard input.
     *
     * @param text the body of every message, or null
     */
    @Nullable
    Message next(JMSContext context, @Nullable String text, InputStream input) throws JMSException, IOException {
        byte[] body = body(text, input);
        if (body == null) {
            return null;
        }
        Message message = bytes ? bytesMessage(context, body) : textMessage(context, body);
        for (Map.Entry<String, Object> property :
                DeclaredArguments.of(properties).entrySet()) {
            message.setObjectProperty(property.getKey(), property.getValue());
        }
        if (correlationId != null) {
            message.setJMSCorrelationID(correlationId);
        }
        message.setJMSType(type);
        return message;
    }

    private static Message bytesMessage(JMSContext context, byte[] body) throws JMSException {
        BytesMessage message = context.createBytesMessage();
        message.writeBytes(body);
        return message;
    }

    private static Message textMessage(JMSContext context, byte[] body) {
        return context.createTextMessage(new String(body, StandardCharsets.UTF_8));
    }

    private byte @Nullable [] body(@Nullable String text, InputStream input) throws IOException {
        if (text != null) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        if (size >= 0) {
            return "x".repeat(size).getBytes(StandardCharsets.UTF_8);
        }
        if (file != null) {
            return read(file);
        }
        if (lines == null) {
            lines = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
        }
        String line = lines.readLine();
        return line == null ? null : line.getBytes(StandardCharsets.UTF_8);
    }

    private byte[] read(Path named) {
        try {
            return Files.readAllBytes(named);
        } catch (IOException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    "MS-0140 --file " + named + " cannot be read: " + e
                            + " fix: see that it exists and that you may read it.",
                    e);
        }
    }
}
