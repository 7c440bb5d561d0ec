package io.mainstem.launcher.config;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mainstem.transport.AddressRange;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * What a configuration value may look like: how it is read, what is expected, how the JSON schema says it.
 *
 * @param <T> what the text becomes
 */
public sealed interface ValueType<T> {
    /**
     * Reads a value.
     *
     * @throws IllegalArgumentException with a text that says what is wrong; the caller adds key, place and {@link #expected}
     */
    T parse(String text);

    /** One word for people, such as {@code size}. */
    String noun();

    /** The allowed form and range, such as {@code 4MiB to 1GiB}. */
    String expected();

    /** Writes type, form and range in the words of JSON Schema. */
    void describe(ObjectNode schema);

    /** A whole number from {@code min} to {@code max}, both included. */
    record Count(long min, long max) implements ValueType<Long> {
        @Override
        public Long parse(String text) {
            long value;
            try {
                value = Long.parseLong(text.strip());
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("not a whole number", e);
            }
            return inRange(value, min, max);
        }

        @Override
        public String noun() {
            return "number";
        }

        @Override
        public String expected() {
            return "a whole number, " + min + " to " + max;
        }

        @Override
        public void describe(ObjectNode schema) {
            schema.put("type", "integer").put("minimum", min).put("maximum", max);
        }
    }

    /** Bytes; {@code 64MiB}, {@code 512KiB}, {@code 1GiB} or a bare number of bytes. */
    record Size(long min, long max) implements ValueType<Long> {
        @Override
        public Long parse(String text) {
            return inRange(Quantity.SIZE.parse(text), min, max);
        }

        @Override
        public String noun() {
            return "size";
        }

        @Override
        public String expected() {
            return "a size such as 64MiB, " + Quantity.SIZE.format(min) + " to " + Quantity.SIZE.format(max);
        }

        @Override
        public void describe(ObjectNode schema) {
            schema.putArray("type").add("integer").add("string");
            schema.put("pattern", Quantity.SIZE.pattern()).put("minimum", min).put("maximum", max);
        }
    }

    /** Bytes as in {@link Size}, or {@code auto} (empty): the broker decides by the size of its heap. */
    record SizeOrAuto(long min, long max) implements ValueType<OptionalLong> {
        private static final String AUTO = "auto";

        @Override
        public OptionalLong parse(String text) {
            return text.strip().equalsIgnoreCase(AUTO)
                    ? OptionalLong.empty()
                    : OptionalLong.of(new Size(min, max).parse(text));
        }

        @Override
        public String noun() {
            return "size or auto";
        }

        @Override
        public String expected() {
            return AUTO + ", or " + new Size(min, max).expected();
        }

        @Override
        public void describe(ObjectNode schema) {
            schema.putArray("anyOf").addObject().put("const", AUTO);
            new Size(min, max).describe(schema.withArray("anyOf").addObject());
        }
    }

    /** Milliseconds, written with a unit: {@code 500ms}, {@code 30s}, {@code 5m}, {@code 1h}. */
    record Duration(long minMs, long maxMs) implements ValueType<Long> {
        @Override
        public Long parse(String text) {
            return inRange(Quantity.DURATION.parse(text), minMs, maxMs);
        }

        @Override
        public String noun() {
            return "duration";
        }

        @Override
        public String expected() {
            return "a duration such as 30s, " + Quantity.DURATION.format(minMs) + " to "
                    + Quantity.DURATION.format(maxMs);
        }

        @Override
        public void describe(ObjectNode schema) {
            schema.put("type", "string").put("pattern", Quantity.DURATION.pattern());
        }
    }

    /** One of a few words, in any case. */
    record Choice(List<String> words) implements ValueType<String> {
        public Choice {
            words = List.copyOf(words);
        }

        @Override
        public String parse(String text) {
            String word = text.strip().toLowerCase(Locale.ROOT);
            if (!words.contains(word)) {
                throw new IllegalArgumentException("not one of the choices");
            }
            return word;
        }

        @Override
        public String noun() {
            return "choice";
        }

        @Override
        public String expected() {
            return "one of " + String.join(", ", words);
        }

        @Override
        public void describe(ObjectNode schema) {
            ArrayNode choices = schema.putArray("enum");
            words.forEach(choices::add);
        }
    }

    /** Host name or address to listen on. */
    record Host() implements ValueType<String> {
        private static final Pattern FORM = Pattern.compile("[A-Za-z0-9._:%\\[\\]-]{1,253}");

        @Override
        public String parse(String text) {
            String host = text.strip();
            if (!FORM.matcher(host).matches()) {
                throw new IllegalArgumentException("not a host name or address");
            }
            return host;
        }

        @Override
        public String noun() {
            return "host";
        }

        @Override
        public String expected() {
            return "a host name or address such as 127.0.0.1";
        }

        @Override
        public void describe(ObjectNode schema) {
            schema.put("type", "string").put("minLength", 1).put("maxLength", 253);
        }
    }

    /** A path; a relative one starts at the working directory of the process. */
    record Folder() implements ValueType<Path> {
        @Override
        public Path parse(String text) {
            if (text.isBlank()) {
                throw new IllegalArgumentException("empty");
            }
            try {
                return Path.of(text);
            } catch (InvalidPathException e) {
                throw new IllegalArgumentException("not a path: " + e.getReason(), e);
            }
        }

        @Override
        public String noun() {
            return "folder";
        }

        @Override
        public String expected() {
            return "a path such as ./data";
        }

        @Override
        public void describe(ObjectNode schema) {
            schema.put("type", "string").put("minLength", 1);
        }
    }

    /** A file, or a word that stands for none (empty). */
    record FileOr(String word) implements ValueType<Optional<Path>> {
        @Override
        public Optional<Path> parse(String text) {
            return text.strip().equalsIgnoreCase(word) ? Optional.empty() : Optional.of(new Folder().parse(text));
        }

        @Override
        public String noun() {
            return "file or " + word;
        }

        @Override
        public String expected() {
            return word + ", or a path such as ./file";
        }

        @Override
        public void describe(ObjectNode schema) {
            schema.put("type", "string").put("minLength", 1);
        }
    }

    /** A whole number, or a word that stands for none (empty). */
    record CountOr(String word, long min, long max) implements ValueType<OptionalLong> {
        @Override
        public OptionalLong parse(String text) {
            return text.strip().equalsIgnoreCase(word)
                    ? OptionalLong.empty()
                    : OptionalLong.of(new Count(min, max).parse(text));
        }

        @Override
        public String noun() {
            return "number or " + word;
        }

        @Override
        public String expected() {
            return word + ", or " + new Count(min, max).expected();
        }

        @Override
        public void describe(ObjectNode schema) {
            // YAML takes a bare off for a boolean.
            schema.putArray("anyOf").addObject().putArray("enum").add(word).add(false);
            new Count(min, max).describe(schema.withArrayProperty("anyOf").addObject());
        }
    }

    /** Words with commas between them, or {@code none}. */
    record Words() implements ValueType<List<String>> {
        @Override
        public List<String> parse(String text) {
            if (text.strip().equalsIgnoreCase("none")) {
                return List.of();
            }
            List<String> words =
                    List.of(text.split(",", -1)).stream().map(String::strip).toList();
            if (words.contains("")) {
                throw new IllegalArgumentException("empty word");
            }
            return words;
        }

        @Override
        public String noun() {
            return "list";
        }

        @Override
        public String expected() {
            return "none, or words with commas between them";
        }

        @Override
        public void describe(ObjectNode schema) {
            schema.put("type", "string").put("minLength", 1);
        }
    }

    /** Addresses and networks with commas between them, or {@code none}. */
    record Ranges() implements ValueType<List<AddressRange>> {
        @Override
        public List<AddressRange> parse(String text) {
            return new Words().parse(text).stream().map(AddressRange::parse).toList();
        }

        @Override
        public String noun() {
            return "networks";
        }

        @Override
        public String expected() {
            return "none, or addresses and networks with commas between them, such as 10.0.0.0/8,::1";
        }

        @Override
        public void describe(ObjectNode schema) {
            schema.put("type", "string").put("minLength", 1);
        }
    }

    private static long inRange(long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(value < min ? "too small" : "too large");
        }
        return value;
    }
}
