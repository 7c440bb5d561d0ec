package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.jspecify.annotations.Nullable;

/** How a receiver wants to consume, by properties of its attach. Pure. */
final class LinkProperties {
    /** RabbitMQ's: the higher first while they have credit. */
    private static final Symbol PRIORITY = Symbol.valueOf("rabbitmq:priority");
    /** Ours: nobody else may consume from the queue meanwhile. */
    private static final Symbol EXCLUSIVE = Symbol.valueOf("mainstem:exclusive");

    private LinkProperties() {}

    /** @throws AmqpException for the link, if the property is no int */
    static int priority(Attach request) {
        Object priority = value(request, PRIORITY);
        if (priority == null) {
            return 0;
        }
        if (priority instanceof Number number && number.longValue() == number.intValue()) {
            return number.intValue();
        }
        throw wrong(PRIORITY, priority, "an int");
    }

    /** @throws AmqpException for the link, if the property is no boolean */
    static boolean exclusive(Attach request) {
        Object exclusive = value(request, EXCLUSIVE);
        if (exclusive == null || exclusive instanceof Boolean) {
            return Boolean.TRUE.equals(exclusive);
        }
        throw wrong(EXCLUSIVE, exclusive, "true or false");
    }

    private static @Nullable Object value(Attach request, Symbol name) {
        Map<?, ?> properties = request.getProperties();
        return properties == null ? null : properties.get(name);
    }

    private static AmqpException wrong(Symbol name, Object found, String expected) {
        return AmqpException.link(
                AmqpError.INVALID_FIELD,
                "MS-0521 link property " + name + ": " + found + " (expected: " + expected + ") fix: correct it");
    }
}
