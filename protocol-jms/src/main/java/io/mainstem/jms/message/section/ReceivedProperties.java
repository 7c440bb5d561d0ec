package io.mainstem.jms.message.section;

import io.mainstem.jms.message.value.MessagePropertyMap;
import io.mainstem.jms.message.value.PropertyNames;
import jakarta.jms.MessageFormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.ApplicationProperties;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.jspecify.annotations.Nullable;

/** The JMS properties of a message that arrived, read from three sections when the first one is asked for. */
public record ReceivedProperties(
        @Nullable ByteBuffer applicationProperties, Properties properties, Map<?, ?> annotations, int deliveryCount)
        implements MessagePropertyMap.Source {
    @Override
    public Map<String, @Nullable Object> read() throws MessageFormatException {
        Map<String, @Nullable Object> result = new LinkedHashMap<>();
        if (applicationProperties != null) {
            Map<?, ?> map = SectionCodec.read(
                            applicationProperties, ApplicationProperties.class, "application-properties")
                    .getValue();
            if (map != null) {
                map.forEach((name, value) -> {
                    if (!isNested(value)) {
                        result.put(String.valueOf(name), AmqpValues.toProperty(value));
                    }
                });
            }
        }
        addStandard(result);
        addBrokerNotes(result);
        return result;
    }

    /** No JMS type holds them; the standard does not allow them either. */
    private static boolean isNested(@Nullable Object value) {
        return value != null && AmqpValues.toProperty(value) == null;
    }

    private void addStandard(Map<String, @Nullable Object> result) {
        putIfThere(result, PropertyNames.GROUP_ID, properties.getGroupId());
        UnsignedInteger sequence = properties.getGroupSequence();
        putIfThere(result, PropertyNames.GROUP_SEQUENCE, sequence == null ? null : sequence.intValue());
        Binary user = properties.getUserId();
        putIfThere(
                result,
                PropertyNames.USER_ID,
                user == null ? null : new String(AmqpValues.bytesOf(user), StandardCharsets.UTF_8));
        putIfThere(result, PropertyNames.REPLY_TO_GROUP_ID, properties.getReplyToGroupId());
        putIfThere(result, PropertyNames.APP_ID, AmqpValues.toProperty(annotations.get(Annotations.APP_ID)));
        result.put(PropertyNames.DELIVERY_COUNT, deliveryCount);
    }

    private void addBrokerNotes(Map<String, @Nullable Object> result) {
        note(result, "EXCHANGE", annotations.get(Annotations.EXCHANGE));
        note(result, "ROUTING_KEY", annotations.get(Annotations.ROUTING_KEY));
        note(result, "INGRESS_TIME", annotations.get(Annotations.INGRESS_TIME));
        note(result, "ACQUIRED_COUNT", annotations.get(Annotations.ACQUIRED_COUNT));
        Object deaths = annotations.get(Annotations.DEATHS);
        Object last = deaths instanceof Object[] array && array.length > 0
                ? array[0]
                : deaths instanceof List<?> list && !list.isEmpty() ? list.get(0) : null;
        if (last instanceof Map<?, ?> death) {
            death.forEach((name, value) -> {
                String text = String.valueOf(name);
                if (text.equals("queue") || text.equals("reason") || text.equals("count")) {
                    note(result, "DEATH_" + text.toUpperCase(Locale.ROOT), value);
                }
            });
        }
    }

    private static void note(Map<String, @Nullable Object> result, String name, @Nullable Object value) {
        putIfThere(result, PropertyNames.BROKER_PREFIX + name, AmqpValues.toProperty(value));
    }

    private static void putIfThere(Map<String, @Nullable Object> result, String name, @Nullable Object value) {
        if (value != null) {
            result.put(name, value);
        }
    }
}
