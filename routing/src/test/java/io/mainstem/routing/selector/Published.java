package io.mainstem.routing.selector;

import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.Messages;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message as a publisher made it, for tests of selectors. */
final class Published {
    private static final List<String> PROPERTIES = List.of(
            "message-id",
            "user-id",
            "to",
            "subject",
            "reply-to",
            "correlation-id",
            "content-type",
            "content-encoding",
            "absolute-expiry-time",
            "creation-time",
            "group-id",
            "group-sequence",
            "reply-to-group-id");

    private final Map<String, Object> application = new LinkedHashMap<>();
    private final Map<String, Object> annotations = new LinkedHashMap<>();
    private final @Nullable Object[] properties = new Object[PROPERTIES.size()];
    private boolean durable;
    private int priority = -1;
    private String publisher = "someone";

    static Published message() {
        return new Published();
    }

    /** An application property. */
    Published with(String name, @Nullable Object value) {
        application.put(name, value);
        return this;
    }

    Published annotated(String name, Object value) {
        annotations.put(name, value);
        return this;
    }

    /** A field of the properties section, by its name in the AMQP specification. */
    Published property(String name, Object value) {
        properties[PROPERTIES.indexOf(name)] = value;
        return this;
    }

    Published durable() {
        durable = true;
        return this;
    }

    Published priority(int value) {
        priority = value;
        return this;
    }

    Published by(String publisherId) {
        publisher = publisherId;
        return this;
    }

    Message build() {
        Messages sections = new Messages();
        if (!annotations.isEmpty()) {
            sections.section(0x72, annotations);
        }
        if (Arrays.stream(properties).anyMatch(each -> each != null)) {
            sections.section(0x73, Arrays.asList(properties));
        }
        Message plain = sections.properties(application).message();
        Envelope its = plain.envelope();
        return new Message(
                new Envelope(
                        "",
                        List.of("queue"),
                        durable,
                        priority,
                        1_000_000,
                        -1,
                        0,
                        0,
                        publisher,
                        null,
                        Envelope.Origin.AMQP_1_0,
                        0,
                        false,
                        its.offsets(),
                        List.of()),
                plain.sections());
    }

    MessageFields routed() {
        return MessageFields.routed(build());
    }

    MessageFields queued(int failed) {
        return MessageFields.queued(build(), failed, 2_000_000);
    }
}
