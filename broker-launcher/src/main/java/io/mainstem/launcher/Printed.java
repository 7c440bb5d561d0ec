package io.mainstem.launcher;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.UnsignedByte;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.UnsignedShort;
import org.jspecify.annotations.Nullable;

/** What the management node answers, for people or for programs. */
final class Printed {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final PrintWriter out;
    private final Form form;

    /** How. */
    enum Form {
        TABLE,
        JSON
    }

    Printed(PrintWriter out, Form form) {
        this.out = out;
        this.form = form;
    }

    /** Rows of a table with these columns, or all there is as a JSON array. */
    void list(List<Map<?, ?>> items, String... columns) {
        if (form == Form.JSON) {
            out.println(json(items));
            return;
        }
        List<String[]> rows = new ArrayList<>();
        rows.add(columns);
        for (Map<?, ?> item : items) {
            String[] row = new String[columns.length];
            for (int at = 0; at < columns.length; at++) {
                row[at] = text(item.get(columns[at]));
            }
            rows.add(row);
        }
        int[] widths = new int[columns.length];
        for (String[] row : rows) {
            for (int at = 0; at < row.length; at++) {
                widths[at] = Math.max(widths[at], row[at].length());
            }
        }
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int at = 0; at < row.length; at++) {
                line.append(row[at]);
                if (at < row.length - 1) {
                    line.append(" ".repeat(widths[at] - row[at].length() + 2));
                }
            }
            out.println(line);
        }
    }

    /** One object: a field a line, or a JSON object. */
    void one(@Nullable Object answer) {
        if (form == Form.JSON || !(answer instanceof Map<?, ?> map)) {
            out.println(json(answer));
            return;
        }
        int width = 0;
        for (Object name : map.keySet()) {
            width = Math.max(width, String.valueOf(name).length());
        }
        for (Map.Entry<?, ?> field : map.entrySet()) {
            String name = String.valueOf(field.getKey());
            out.println(name + " ".repeat(width - name.length() + 2) + text(field.getValue()));
        }
    }

    /** That something was done: a sentence, or what the broker answered. */
    void done(String sentence, @Nullable Object answer) {
        out.println(form == Form.JSON ? json(answer == null ? Map.of() : answer) : sentence);
    }

    private static String text(@Nullable Object value) {
        if (value == null) {
            return "-";
        }
        JsonNode node = json(value);
        return node.isValueNode() ? node.asText() : node.toString();
    }

    static JsonNode json(@Nullable Object value) {
        if (value == null) {
            return JSON.nullNode();
        }
        if (value instanceof Map<?, ?> map) {
            ObjectNode object = JSON.objectNode();
            map.forEach((name, field) -> object.set(String.valueOf(name), json(field)));
            return object;
        }
        if (value instanceof List<?> list) {
            return array(list);
        }
        if (value instanceof Object[] array) {
            return array(List.of(array));
        }
        if (value instanceof Boolean flag) {
            return JSON.booleanNode(flag);
        }
        if (value instanceof Double || value instanceof Float) {
            return JSON.numberNode(((Number) value).doubleValue());
        }
        if (value instanceof UnsignedLong number) {
            return JSON.numberNode(number.bigIntegerValue());
        }
        boolean whole = value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte
                || value instanceof UnsignedInteger
                || value instanceof UnsignedShort
                || value instanceof UnsignedByte;
        if (whole) {
            return JSON.numberNode(((Number) value).longValue());
        }
        if (value instanceof byte[] bytes) {
            return JSON.textNode(Base64.getEncoder().encodeToString(bytes));
        }
        if (value instanceof Binary binary) {
            return JSON.textNode(Base64.getEncoder().encodeToString(binary.getArray()));
        }
        return JSON.textNode(value instanceof Date date ? date.toInstant().toString() : value.toString());
    }

    private static ArrayNode array(List<?> list) {
        ArrayNode array = JSON.arrayNode();
        for (Object item : list) {
            array.add(json(item));
        }
        return array;
    }
}
