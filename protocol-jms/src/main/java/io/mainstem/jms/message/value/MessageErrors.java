package io.mainstem.jms.message.value;

import jakarta.jms.JMSException;
import jakarta.jms.MessageEOFException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageNotReadableException;
import jakarta.jms.MessageNotWriteableException;
import org.jspecify.annotations.Nullable;

/** The refusals of the message classes: what, found, wanted, fix. */
public final class MessageErrors {
    private MessageErrors() {}

    public static MessageFormatException noConversion(TypedValue value, String wanted) {
        return format(
                "MS-0750",
                value.place() + " '" + value.name() + "' is " + typeOf(value.value()) + "; wanted: " + wanted
                        + "; fix: read it by its own type or as Object");
    }

    public static IllegalArgumentException badName(String place, @Nullable String name, String wanted) {
        return new IllegalArgumentException("MS-0751 name of a " + place + " is "
                + (name == null ? "null" : "'" + name + "'") + "; wanted: " + wanted + "; fix: choose another name");
    }

    public static MessageFormatException badType(String place, String name, @Nullable Object value, String wanted) {
        return format(
                "MS-0752",
                place + " '" + name + "' was given " + typeOf(value) + "; wanted: " + wanted
                        + "; fix: convert it, or send it in an ObjectMessage");
    }

    public static MessageNotWriteableException readOnly(String part) {
        return new MessageNotWriteableException(
                "MS-0753 the " + part + " of a received or reset message can only be read; fix: call clear"
                        + (part.equals("body") ? "Body" : "Properties") + "() first, or make a new message",
                "MS-0753");
    }

    public static MessageNotReadableException writeOnly() {
        return new MessageNotReadableException(
                "MS-0754 the body is being written and cannot be read; fix: call reset() first", "MS-0754");
    }

    public static MessageEOFException endOfBody(String wanted) {
        MessageEOFException end = new MessageEOFException(
                "MS-0755 the body has not enough left for " + wanted + "; fix: read what was written, in its order",
                "MS-0755");
        return end;
    }

    public static MessageFormatException insideBytes() {
        return format(
                "MS-0756",
                "a byte[] of the stream is read by half; fix: call readBytes until it answers less than the array's"
                        + " length or -1, then read on");
    }

    public static MessageFormatException notAssignable(String kind, Class<?> wanted, String allowed) {
        return format(
                "MS-0757",
                "the body of a " + kind + " cannot be given as " + wanted.getName() + "; wanted: " + allowed
                        + "; fix: ask isBodyAssignableTo first");
    }

    public static MessageFormatException malformed(String part, @Nullable Throwable cause) {
        return caused(
                format(
                        "MS-0758",
                        "the " + part + " of the message cannot be read: "
                                + (cause == null ? "not AMQP" : cause.toString())
                                + "; fix: look at what its sender encoded"),
                cause);
    }

    public static MessageFormatException classNotAllowed(String className) {
        return format(
                "MS-0759",
                "an ObjectMessage holds class " + className + ", which is not allowed to be deserialised; fix: name its"
                        + " package in the option jms.trustedPackages if its senders are trusted, or send text");
    }

    public static MessageFormatException notSerialisable(String direction, Throwable cause) {
        return caused(
                format("MS-0760", "the object cannot be " + direction + ": " + cause + "; fix: look at its class"),
                cause);
    }

    public static MessageFormatException foreign(String className, Throwable cause) {
        return caused(
                format(
                        "MS-0761",
                        "message of class " + className + " cannot be read for sending: " + cause
                                + "; fix: make the message by the session that sends it"),
                cause);
    }

    public static JMSException badId(String text, String wanted) {
        return new JMSException(
                "MS-0762 id '" + text + "' has no AMQP form; wanted after its prefix: " + wanted
                        + "; fix: leave out the prefix ID:AMQP_...",
                "MS-0762");
    }

    public static JMSException badHeader(String header, long found, String wanted) {
        return new JMSException(
                "MS-0765 " + header + " is " + found + "; wanted: " + wanted + "; fix: set one of these", "MS-0765");
    }

    public static MessageFormatException format(String code, String text) {
        return new MessageFormatException(code + " " + text, code);
    }

    private static <T extends JMSException> T caused(T failure, @Nullable Throwable cause) {
        if (cause != null) {
            failure.initCause(cause);
        }
        if (cause instanceof Exception linked) {
            failure.setLinkedException(linked);
        }
        return failure;
    }

    private static String typeOf(@Nullable Object value) {
        return value == null ? "null" : value.getClass().getSimpleName();
    }
}
