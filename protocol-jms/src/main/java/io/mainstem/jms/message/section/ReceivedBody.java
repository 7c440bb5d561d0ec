package io.mainstem.jms.message.section;

import io.mainstem.jms.message.value.MessageErrors;
import jakarta.jms.MessageFormatException;
import java.io.Serializable;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.messaging.AmqpSequence;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.jspecify.annotations.Nullable;

/**
 * The body of a message that arrived, decoded when it is asked for, and sent on as it is if nobody changed it. Every
 * reading method throws {@link MessageFormatException} for what is no AMQP. Thread: that of its message.
 *
 * @param sections the encoded body sections; none: no body
 * @param contentType as the sender gave it, or null
 */
public record ReceivedBody(
        List<ByteBuffer> sections, @Nullable String contentType) {
    private static final int BINARY_8 = 0xa0;
    private static final int BINARY_32 = 0xb0;
    private static final int STRING_8 = 0xa1;
    private static final int STRING_32 = 0xb1;
    private static final int NULL = 0x40;
    private static final int MAP_8 = 0xc1;
    private static final int MAP_32 = 0xd1;
    private static final int LIST_0 = 0x45;
    private static final int LIST_8 = 0xc0;
    private static final int LIST_32 = 0xd0;

    public boolean isEmpty() {
        return sections.isEmpty();
    }

    public boolean isData() {
        return !isEmpty() && Sections.kindOf(sections.get(0)) == Sections.DATA;
    }

    public boolean isSequence() {
        return !isEmpty() && Sections.kindOf(sections.get(0)) == Sections.SEQUENCE;
    }

    public boolean isNull() {
        return valueConstructor() == NULL;
    }

    public boolean isString() {
        return valueConstructor() == STRING_8 || valueConstructor() == STRING_32;
    }

    public boolean isBinary() {
        return valueConstructor() == BINARY_8 || valueConstructor() == BINARY_32;
    }

    public boolean isMap() {
        return valueConstructor() == MAP_8 || valueConstructor() == MAP_32;
    }

    public boolean isList() {
        int constructor = valueConstructor();
        return constructor == LIST_0 || constructor == LIST_8 || constructor == LIST_32;
    }

    /** The type byte of an amqp-value, or -1 if the body is none. */
    private int valueConstructor() {
        if (isEmpty() || Sections.kindOf(sections.get(0)) != Sections.VALUE) {
            return -1;
        }
        return Sections.valueOf(sections.get(0)).get(0) & 0xff;
    }

    /** All data sections in one, or the bytes of a binary value. */
    public ByteBuffer bytes() throws MessageFormatException {
        if (sections.size() == 1) {
            return content(sections.get(0));
        }
        List<ByteBuffer> parts = new ArrayList<>(sections.size());
        int length = 0;
        for (ByteBuffer section : sections) {
            ByteBuffer part = content(section);
            length += part.remaining();
            parts.add(part);
        }
        ByteBuffer joined = ByteBuffer.allocate(length);
        parts.forEach(joined::put);
        return joined.flip();
    }

    /** The text of a string value, or of bytes in the charset of the content type. */
    public @Nullable String text() throws MessageFormatException {
        if (isEmpty() || isNull()) {
            return null;
        }
        Charset charset = isString() ? StandardCharsets.UTF_8 : ContentTypes.charsetOf(contentType);
        try {
            return charset.newDecoder().decode(bytes()).toString();
        } catch (CharacterCodingException broken) {
            throw MessageErrors.malformed("text (" + charset + ")", broken);
        }
    }

    public Map<String, @Nullable Object> map() throws MessageFormatException {
        Map<String, @Nullable Object> result = new LinkedHashMap<>();
        if (value() instanceof Map<?, ?> map) {
            map.forEach(
                    (key, value) -> result.put(String.valueOf(AmqpValues.toElement(key)), AmqpValues.toElement(value)));
        }
        return result;
    }

    public List<@Nullable Object> list() throws MessageFormatException {
        List<@Nullable Object> result = new ArrayList<>();
        if (isSequence()) {
            for (ByteBuffer section : sections) {
                addAll(
                        result,
                        SectionCodec.read(section, AmqpSequence.class, "body").getValue());
            }
        } else if (value() instanceof List<?> list) {
            addAll(result, list);
        }
        return result;
    }

    private static void addAll(List<@Nullable Object> result, List<?> values) {
        values.forEach(value -> result.add(AmqpValues.toElement(value)));
    }

    /** A value or sequence of AMQP's own types. */
    public @Nullable Serializable typedObject() throws MessageFormatException {
        return isSequence() ? new ArrayList<>(list()) : AmqpValues.toJava(value());
    }

    private @Nullable Object value() throws MessageFormatException {
        if (isEmpty() || isData()) {
            return null;
        }
        return SectionCodec.read(sections.get(0), AmqpValue.class, "body").getValue();
    }

    /** The bytes of a binary or string, without a copy. */
    private static ByteBuffer content(ByteBuffer section) throws MessageFormatException {
        ByteBuffer value = Sections.valueOf(section);
        try {
            int constructor = value.get() & 0xff;
            int length = switch (constructor) {
                case BINARY_8, STRING_8 -> value.get() & 0xff;
                case BINARY_32, STRING_32 -> value.getInt();
                case NULL -> 0;
                default -> throw new IllegalArgumentException("type 0x" + Integer.toHexString(constructor));
            };
            return value.slice().limit(length).slice();
        } catch (BufferUnderflowException | IllegalArgumentException malformed) {
            throw MessageErrors.malformed("body", malformed);
        }
    }
}
