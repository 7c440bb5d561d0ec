package io.mainstem.routing.selector;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a name in a selector stands for (mapping 7, table of identifiers). */
sealed interface Field {
    /** An application property. */
    record Property(String name) implements Field {}

    /** A message annotation: only where the selector says so with {@code m.}. */
    record Annotation(String name) implements Field {}

    /** Standard fields: those of Jakarta Messaging, what this broker noted, and those of the header and properties sections as they are. */
    enum Standard implements Field {
        JMS_MESSAGE_ID,
        JMS_CORRELATION_ID,
        JMS_TYPE,
        JMS_PRIORITY,
        JMS_DELIVERY_MODE,
        JMS_TIMESTAMP,
        JMS_EXPIRATION,
        JMS_DELIVERY_TIME,
        JMS_DESTINATION,
        JMS_REPLY_TO,
        JMS_REDELIVERED,
        JMS_DELIVERY_COUNT,
        JMS_GROUP_ID,
        JMS_GROUP_SEQUENCE,
        JMS_USER_ID,
        JMS_APP_ID,
        BROKER_EXCHANGE,
        BROKER_ROUTING_KEY,
        BROKER_INGRESS_TIME,
        DEATH_QUEUE,
        DEATH_REASON,
        DEATH_COUNT,
        DURABLE,
        PRIORITY,
        TTL,
        FIRST_ACQUIRER,
        DELIVERY_COUNT,
        MESSAGE_ID,
        USER_ID,
        TO,
        SUBJECT,
        REPLY_TO,
        CORRELATION_ID,
        CONTENT_TYPE,
        CONTENT_ENCODING,
        ABSOLUTE_EXPIRY_TIME,
        CREATION_TIME,
        GROUP_ID,
        GROUP_SEQUENCE,
        REPLY_TO_GROUP_ID
    }

    /** A name in a JMS selector; case counts. */
    static Field ofJms(String name) {
        Field standard = Names.JMS.get(name);
        return standard != null ? standard : new Property(name);
    }

    /** A field of the section of that name, or null if there is no such section or field. */
    static @Nullable Field ofSection(String section, String name) {
        return switch (section) {
            case "a", "application_properties" -> new Property(name);
            case "m", "message_annotations" -> new Annotation(name);
            case "p", "properties" -> Names.PROPERTIES.get(name);
            case "h", "header" -> Names.HEADER.get(name);
            default -> null;
        };
    }

    /** The tables. */
    final class Names {
        private static final Map<String, Field> JMS = new HashMap<>();
        private static final Map<String, Field> HEADER = new HashMap<>();
        private static final Map<String, Field> PROPERTIES = new HashMap<>();

        static {
            JMS.put("JMSMessageID", Standard.JMS_MESSAGE_ID);
            JMS.put("JMSCorrelationID", Standard.JMS_CORRELATION_ID);
            JMS.put("JMSType", Standard.JMS_TYPE);
            JMS.put("JMSPriority", Standard.JMS_PRIORITY);
            JMS.put("JMSDeliveryMode", Standard.JMS_DELIVERY_MODE);
            JMS.put("JMSTimestamp", Standard.JMS_TIMESTAMP);
            JMS.put("JMSExpiration", Standard.JMS_EXPIRATION);
            JMS.put("JMSDeliveryTime", Standard.JMS_DELIVERY_TIME);
            JMS.put("JMSDestination", Standard.JMS_DESTINATION);
            JMS.put("JMSReplyTo", Standard.JMS_REPLY_TO);
            JMS.put("JMSRedelivered", Standard.JMS_REDELIVERED);
            JMS.put("JMSXDeliveryCount", Standard.JMS_DELIVERY_COUNT);
            JMS.put("JMSXGroupID", Standard.JMS_GROUP_ID);
            JMS.put("JMSXGroupSeq", Standard.JMS_GROUP_SEQUENCE);
            JMS.put("JMSXUserID", Standard.JMS_USER_ID);
            JMS.put("JMSXAppID", Standard.JMS_APP_ID);
            JMS.put("JMS_MAINSTEM_EXCHANGE", Standard.BROKER_EXCHANGE);
            JMS.put("JMS_MAINSTEM_ROUTING_KEY", Standard.BROKER_ROUTING_KEY);
            JMS.put("JMS_MAINSTEM_INGRESS_TIME", Standard.BROKER_INGRESS_TIME);
            JMS.put("JMS_MAINSTEM_DEATH_QUEUE", Standard.DEATH_QUEUE);
            JMS.put("JMS_MAINSTEM_DEATH_REASON", Standard.DEATH_REASON);
            JMS.put("JMS_MAINSTEM_DEATH_COUNT", Standard.DEATH_COUNT);
            addAll(HEADER, Standard.DURABLE, Standard.DELIVERY_COUNT);
            addAll(PROPERTIES, Standard.MESSAGE_ID, Standard.REPLY_TO_GROUP_ID);
        }

        private Names() {}

        private static void addAll(Map<String, Field> names, Standard first, Standard last) {
            for (Standard field : EnumSet.range(first, last)) {
                names.put(field.name().toLowerCase(Locale.ROOT), field);
            }
        }
    }
}
