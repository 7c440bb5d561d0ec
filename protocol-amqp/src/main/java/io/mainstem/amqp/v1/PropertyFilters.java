package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import java.math.BigInteger;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedByte;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.UnsignedShort;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.jspecify.annotations.Nullable;

/**
 * Property filters (AMQP Filter Expressions, section 4) as text of an SQL filter: there is one evaluator, and what is
 * stored with a subscription can be read by people.
 *
 * <p>Thread: any.
 */
final class PropertyFilters {
    private static final int FIELDS_MAX = 16;
    private static final String AND = " AND ";

    private static final List<String> PROPERTIES = List.of(
            "message-id",
            "user-id",
            "to",
            "subject",
            "reply-to",
            "correlation-id",
            "content-type",
            "content-encoding",
            "absolute-expiry-time",
            "creation-time",
            "group-id",
            "group-sequence",
            "reply-to-group-id");

    private final StringBuilder sql = new StringBuilder();

    /** {@code amqp:properties-filter}: fields of the properties section [4.2.4]. */
    PropertyFilters properties(Map<?, ?> fields) {
        checkSize("properties-filter", fields);
        fields.forEach((key, wanted) -> {
            String name = String.valueOf(key);
            if (!(key instanceof Symbol) || !PROPERTIES.contains(name)) {
                throw invalid(
                        "properties-filter: field '" + name + "' (expected: one of " + PROPERTIES + " as symbol)");
            }
            // A reference that is null matches everything.
            if (wanted != null) {
                and(condition("p." + name.replace('-', '_'), name, wanted));
            }
        });
        return this;
    }

    /** {@code amqp:application-properties-filter} [4.2.5]. */
    PropertyFilters applicationProperties(Map<?, ?> fields) {
        checkSize("application-properties-filter", fields);
        fields.forEach((key, wanted) -> {
            if (!(key instanceof String name)) {
                throw invalid("application-properties-filter: key '" + key + "' (expected: a string)");
            }
            String identifier = "[" + name.replace("]", "]]") + "]";
            and(wanted == null ? "EXISTS(" + identifier + ")" : condition(identifier, name, wanted));
        });
        return this;
    }

    /** The conditions so far, or blank if there is none. */
    String sql() {
        return sql.toString();
    }

    private void and(String condition) {
        sql.append(sql.isEmpty() ? "" : AND).append(condition);
    }

    private static void checkSize(String filter, Map<?, ?> fields) {
        if (fields.isEmpty() || fields.size() > FIELDS_MAX) {
            throw invalid(filter + ": " + fields.size() + " fields (expected: 1 to " + FIELDS_MAX + ")");
        }
    }

    private static String condition(String identifier, String name, Object wanted) {
        if (wanted instanceof String text && text.startsWith("&")) {
            return affix(identifier, name, text);
        }
        return identifier + " = " + literal(name, wanted);
    }

    /** {@code &p:} prefix, {@code &s:} suffix, {@code &&} a text that begins with an ampersand [4.1.1]. */
    private static String affix(String identifier, String name, String text) {
        String rest = text.length() < 3 ? "" : text.substring(3);
        // Without need no ESCAPE: the longest filters must not have too many words.
        String escaped = rest.replace("!", "!!").replace("%", "!%").replace("_", "!_");
        boolean plain = rest.indexOf('%') < 0 && rest.indexOf('_') < 0;
        if (text.startsWith("&p:")) {
            return identifier + " LIKE " + (plain ? quoted(rest + "%") : quoted(escaped + "%") + " ESCAPE '!'");
        }
        if (text.startsWith("&s:")) {
            return identifier + " LIKE " + (plain ? quoted("%" + rest) : quoted("%" + escaped) + " ESCAPE '!'");
        }
        if (text.startsWith("&&")) {
            return identifier + " = " + quoted(text.substring(1));
        }
        throw invalid("filter of field '" + name + "': '" + text + "' (expected: &p:, &s: or && behind no other &)");
    }

    private static String literal(String name, Object wanted) {
        if (wanted instanceof String || wanted instanceof Symbol || wanted instanceof Character) {
            return quoted(wanted.toString());
        }
        if (wanted instanceof Boolean) {
            return wanted.toString().toUpperCase(Locale.ROOT);
        }
        if (wanted instanceof UUID) {
            return "UUID('" + wanted + "')";
        }
        if (wanted instanceof Binary bytes) {
            return "0x" + HexFormat.of().formatHex(bytes.getArray(), bytes.getArrayOffset(), end(bytes));
        }
        if (wanted instanceof Date time) {
            return Long.toString(time.toInstant().toEpochMilli());
        }
        String number = number(wanted);
        if (number == null) {
            throw invalid(
                    "filter of field '" + name + "': a " + wanted.getClass().getSimpleName()
                            + " (expected: text, number, boolean, binary, uuid or timestamp)");
        }
        return number;
    }

    private static int end(Binary bytes) {
        return bytes.getArrayOffset() + bytes.getLength();
    }

    private static @Nullable String number(Object wanted) {
        if (wanted instanceof UnsignedLong big) {
            BigInteger value = big.bigIntegerValue();
            return value.bitLength() < Long.SIZE ? value.toString() : value + ".0";
        }
        if (wanted instanceof Long
                || wanted instanceof Integer
                || wanted instanceof Short
                || wanted instanceof Byte
                || wanted instanceof UnsignedInteger
                || wanted instanceof UnsignedShort
                || wanted instanceof UnsignedByte) {
            return Long.toString(((Number) wanted).longValue());
        }
        if (wanted instanceof Double || wanted instanceof Float) {
            double value = ((Number) wanted).doubleValue();
            return Double.isFinite(value) ? Double.toString(value) : null;
        }
        return null;
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    private static AmqpException invalid(String problem) {
        return AmqpException.link(
                AmqpError.INVALID_FIELD, "MS-0520 source filter: " + problem + " fix: correct the filter");
    }
}
