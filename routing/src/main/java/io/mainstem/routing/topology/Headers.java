package io.mainstem.routing.topology;

import io.mainstem.routing.message.AmqpValueReader;
import io.mainstem.routing.message.Message;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a headers exchange sees of a message: its application-properties and, under their {@code x-} names, its
 * message-annotations. Decoded on first use. Thread: one.
 */
final class Headers {
    private final Message message;
    private @Nullable Map<String, @Nullable Object> properties;
    private @Nullable Map<String, @Nullable Object> annotations;

    Headers(Message message) {
        this.message = message;
    }

    boolean has(String name) {
        return properties().containsKey(name)
                || (isAnnotation(name) && annotations().containsKey(name));
    }

    @Nullable
    Object get(String name) {
        Map<String, @Nullable Object> own = properties();
        return own.containsKey(name) || !isAnnotation(name)
                ? own.get(name)
                : annotations().get(name);
    }

    /** Every name once, with what {@link #get} gives for it. */
    void forEach(BiConsumer<String, @Nullable Object> action) {
        properties().forEach(action);
        annotations().forEach((name, value) -> {
            if (isAnnotation(name) && !properties().containsKey(name)) {
                action.accept(name, value);
            }
        });
    }

    private static boolean isAnnotation(String name) {
        return name.startsWith("x-");
    }

    private Map<String, @Nullable Object> properties() {
        if (properties == null) {
            properties = AmqpValueReader.applicationProperties(
                    message.sections(), message.envelope().offsets());
        }
        return properties;
    }

    private Map<String, @Nullable Object> annotations() {
        if (annotations == null) {
            annotations = AmqpValueReader.messageAnnotations(
                    message.sections(), message.envelope().offsets());
        }
        return annotations;
    }
}
