package io.mainstem.jms.destination;

import org.jspecify.annotations.Nullable;

/** The four kinds of destination, with the code that {@code x-opt-jms-dest} and {@code x-opt-jms-reply-to} carry. */
public enum DestinationKind {
    QUEUE(0, "queue"),
    TOPIC(1, "topic"),
    TEMPORARY_QUEUE(2, "temporary-queue"),
    TEMPORARY_TOPIC(3, "temporary-topic");

    private final byte code;
    private final String capability;

    DestinationKind(int code, String capability) {
        this.code = (byte) code;
        this.capability = capability;
    }

    /** The value of the message annotation. */
    public byte code() {
        return code;
    }

    /** The capability of an AMQP terminus of this kind. */
    public String capability() {
        return capability;
    }

    /** The kind of an annotation's value; null if it is none. */
    static @Nullable DestinationKind of(@Nullable Object annotation) {
        if (annotation instanceof Number number) {
            for (DestinationKind kind : values()) {
                if (kind.code == number.longValue()) {
                    return kind;
                }
            }
        }
        return null;
    }

    public boolean isQueue() {
        return this == QUEUE || this == TEMPORARY_QUEUE;
    }

    public boolean isTemporary() {
        return this == TEMPORARY_QUEUE || this == TEMPORARY_TOPIC;
    }
}
