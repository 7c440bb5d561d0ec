package io.mainstem.jms.message;

import org.jspecify.annotations.Nullable;

/** The types of message, by the number that {@code x-opt-jms-msg-type} carries ([mapping 4.9]). */
enum MessageKind {
    MESSAGE(0, "Message", "any type, as it has no body"),
    OBJECT(1, "ObjectMessage", "the object's class, its supertypes or java.io.Serializable"),
    MAP(2, "MapMessage", "java.util.Map or Object"),
    BYTES(3, "BytesMessage", "byte[] or Object"),
    STREAM(4, "StreamMessage", "none: read a stream by its read methods"),
    TEXT(5, "TextMessage", "String or a supertype");

    private final byte code;
    private final String text;
    private final String bodyTypes;

    MessageKind(int code, String text, String bodyTypes) {
        this.code = (byte) code;
        this.text = text;
        this.bodyTypes = bodyTypes;
    }

    byte code() {
        return code;
    }

    String text() {
        return text;
    }

    /** What {@code getBody} gives, for people. */
    String bodyTypes() {
        return bodyTypes;
    }

    /** By the annotation's value; null if it is none of the known numbers. */
    static @Nullable MessageKind of(@Nullable Object annotation) {
        if (annotation instanceof Number number) {
            for (MessageKind kind : values()) {
                if (kind.code == number.longValue()) {
                    return kind;
                }
            }
        }
        return null;
    }
}
