package io.mainstem.mqtt;

import io.mainstem.routing.message.AmqpValueReader;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * AMQP values as JSON [M-11]: binary in base64, and what JSON has no form for as the text it has among the user properties.
 * Thread: one.
 */
final class JsonText {
    private static final String HEX = "0123456789abcdef";

    private final StringBuilder out = new StringBuilder();

    private JsonText() {}

    static byte[] of(@Nullable Object value) {
        JsonText text = new JsonText();
        text.value(value);
        return text.out.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void value(@Nullable Object value) {
        if (value instanceof AmqpValueReader.Described described) {
            value(described.value());
        } else if (value instanceof Map<?, ?> map) {
            object(map);
        } else if (value instanceof List<?> list) {
            array(list);
        } else if (value == null || value instanceof Boolean || isNumber(value)) {
            out.append(value);
        } else {
            quoted(text(value));
        }
    }

    /** NaN and infinity are none in JSON. */
    private static boolean isNumber(Object value) {
        return value instanceof Long
                || value instanceof BigInteger
                || (value instanceof Double number && Double.isFinite(number))
                || (value instanceof Float single && Float.isFinite(single));
    }

    private static String text(@Nullable Object value) {
        if (value instanceof byte[] binary) {
            return Base64.getEncoder().encodeToString(binary);
        }
        String text = PublishEgress.text(value);
        return text == null ? String.valueOf(value) : text;
    }

    private void object(Map<?, ?> map) {
        out.append('{');
        String between = "";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(between);
            quoted(text(entry.getKey()));
            out.append(':');
            value(entry.getValue());
            between = ",";
        }
        out.append('}');
    }

    private void array(List<?> list) {
        out.append('[');
        String between = "";
        for (Object each : list) {
            out.append(between);
            value(each);
            between = ",";
        }
        out.append(']');
    }

    private void quoted(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append("\\u00").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
