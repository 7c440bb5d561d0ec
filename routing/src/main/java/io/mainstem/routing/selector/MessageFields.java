package io.mainstem.routing.selector;

import io.mainstem.routing.message.AmqpValueReader;
import io.mainstem.routing.message.Death;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.MessageProperties;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One message as selectors see it. A section is decoded when a selector first names a field of it, and once however
 * many selectors ask [F-1]. Thread: one.
 */
public final class MessageFields {
    private static final int PRIORITY_MAX = 9;

    private final Message message;
    private final Envelope envelope;
    private final int failed;
    private final long nowMs;
    private final Work work = new Work();
    private @Nullable MessageProperties properties;
    private @Nullable Map<String, @Nullable Object> applicationProperties;
    private @Nullable Map<String, @Nullable Object> annotations;

    private MessageFields(Message message, int failed, long nowMs) {
        this.message = message;
        this.envelope = message.envelope();
        // As the header of the delivery says it.
        this.failed = failed < 0 ? failed : failed + envelope.failedBefore();
        this.nowMs = nowMs;
    }

    /** At routing: it has no delivery count yet, and now is when it arrived. */
    public static MessageFields routed(Message message) {
        return new MessageFields(message, -1, message.envelope().arrivalMs());
    }

    /**
     * In a queue.
     *
     * @param failed earlier failed deliveries
     * @param nowMs epoch ms
     */
    public static MessageFields queued(Message message, int failed, long nowMs) {
        return new MessageFields(message, failed, nowMs);
    }

    /** What may still be done for the selector that is being tried. */
    Work work() {
        return work;
    }

    /** Characters and bytes that selectors have looked at. */
    public long steps() {
        return work.spent();
    }

    /** Container-id or client id it was published by, for no-local. */
    String publisherId() {
        return envelope.publisherId();
    }

    long nowMs() {
        return nowMs;
    }

    /** True if the field is there, with a null value, too. */
    boolean has(Field field) {
        if (field instanceof Field.Property property) {
            return applicationProperties().containsKey(property.name());
        }
        if (field instanceof Field.Annotation annotation) {
            return annotations().containsKey(annotation.name());
        }
        return value(field) != null;
    }

    /** Null if absent, else Long, BigInteger, Double, String, Boolean, byte[], UUID, or a type that compares with none. */
    @Nullable
    Object value(Field field) {
        if (field instanceof Field.Property property) {
            return comparable(applicationProperties().get(property.name()));
        }
        if (field instanceof Field.Annotation annotation) {
            return comparable(annotations().get(annotation.name()));
        }
        return standard((Field.Standard) field);
    }

    private @Nullable Object standard(Field.Standard field) {
        return switch (field) {
            case JMS_PRIORITY, PRIORITY, JMS_DELIVERY_MODE, DURABLE, TTL -> ofHeader(field);
            case JMS_EXPIRATION -> envelope.expireAtMs();
            case JMS_DELIVERY_TIME -> envelope.deliverAtMs();
            case JMS_DESTINATION -> envelope.routingKey();
            case JMS_REDELIVERED -> failed < 0 ? null : (Object) (failed > 0);
            case JMS_DELIVERY_COUNT -> failed < 0 ? null : (Object) (failed + 1L);
            case DELIVERY_COUNT -> (long) Math.max(0, failed);
            case FIRST_ACQUIRER -> failed <= 0;
            case JMS_APP_ID -> annotations().get("x-opt-app-id") instanceof String app ? app : null;
            case BROKER_EXCHANGE -> envelope.exchange();
            case BROKER_ROUTING_KEY -> envelope.routingKey();
            case BROKER_INGRESS_TIME -> envelope.arrivalMs();
            case DEATH_QUEUE, DEATH_REASON, DEATH_COUNT ->
                envelope.deaths().isEmpty()
                        ? null
                        : ofDeath(field, envelope.deaths().get(0));
            default -> affordable(field, properties()) ? ofProperties(field, properties()) : null;
        };
    }

    private static Object ofDeath(Field.Standard field, Death last) {
        return switch (field) {
            case DEATH_QUEUE -> last.queue();
            case DEATH_REASON -> last.reason();
            default -> (long) last.count();
        };
    }

    private @Nullable Object ofHeader(Field.Standard field) {
        int priority = envelope.priority() < 0 ? Envelope.PRIORITY_DEFAULT : envelope.priority();
        return switch (field) {
            case JMS_PRIORITY -> (long) Math.min(PRIORITY_MAX, priority);
            case PRIORITY -> (long) priority;
            case JMS_DELIVERY_MODE -> envelope.durable() ? "PERSISTENT" : "NON_PERSISTENT";
            case DURABLE -> envelope.durable();
            default -> envelope.ttlMs() < 0 ? null : (Object) envelope.ttlMs();
        };
    }

    /** Ids that are binary are written as text for each who asks. */
    private boolean affordable(Field.Standard field, MessageProperties of) {
        Object written = switch (field) {
            case JMS_MESSAGE_ID -> of.messageId();
            case JMS_CORRELATION_ID -> of.correlationId();
            case JMS_USER_ID -> of.userId();
            default -> null;
        };
        return !(written instanceof byte[] bytes) || work.spend(bytes.length);
    }

    private static @Nullable Object ofProperties(Field.Standard field, MessageProperties of) {
        return switch (field) {
            case JMS_MESSAGE_ID -> JmsIds.messageId(of.messageId());
            case JMS_CORRELATION_ID -> JmsIds.correlationId(of.correlationId());
            case JMS_TIMESTAMP -> of.creationMs();
            case JMS_USER_ID -> of.userId() == null ? null : new String(of.userId(), StandardCharsets.UTF_8);
            case MESSAGE_ID -> of.messageId();
            case USER_ID -> of.userId();
            case TO -> of.to();
            case JMS_TYPE, SUBJECT -> of.subject();
            case JMS_REPLY_TO, REPLY_TO -> of.replyTo();
            case CORRELATION_ID -> of.correlationId();
            case CONTENT_TYPE -> of.contentType();
            case CONTENT_ENCODING -> of.contentEncoding();
            case ABSOLUTE_EXPIRY_TIME -> present(of.absoluteExpiryMs(), 0);
            case CREATION_TIME -> present(of.creationMs(), 0);
            case JMS_GROUP_ID, GROUP_ID -> of.groupId();
            case GROUP_SEQUENCE -> present(of.groupSequence(), -1);
            // As JMS programs set it: an int that wraps to the uint of AMQP.
            case JMS_GROUP_SEQUENCE -> of.groupSequence() < 0 ? null : (Object) (long) (int) of.groupSequence();
            case REPLY_TO_GROUP_ID -> of.replyToGroupId();
            default -> throw new IllegalStateException(field + " is no field of the properties section");
        };
    }

    private static @Nullable Object present(long value, long absent) {
        return value == absent ? null : (Object) value;
    }

    private static @Nullable Object comparable(@Nullable Object value) {
        return value instanceof Instant instant ? (Object) instant.toEpochMilli() : value;
    }

    private MessageProperties properties() {
        MessageProperties decoded = properties;
        if (decoded == null) {
            decoded = MessageProperties.read(message.sections(), envelope.offsets());
            properties = decoded;
        }
        return decoded;
    }

    private Map<String, @Nullable Object> applicationProperties() {
        Map<String, @Nullable Object> decoded = applicationProperties;
        if (decoded == null) {
            decoded = AmqpValueReader.applicationProperties(message.sections(), envelope.offsets());
            applicationProperties = decoded;
            work.read(envelope.offsets().body() - envelope.offsets().applicationProperties());
        }
        return decoded;
    }

    private Map<String, @Nullable Object> annotations() {
        Map<String, @Nullable Object> decoded = annotations;
        if (decoded == null) {
            decoded = AmqpValueReader.messageAnnotations(message.sections(), envelope.offsets());
            annotations = decoded;
        }
        return decoded;
    }
}
