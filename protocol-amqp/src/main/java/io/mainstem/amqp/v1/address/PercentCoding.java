package io.mainstem.amqp.v1.address;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Percent-encoding as addresses use it [A-10]: one pass, UTF-8, and {@code +} is a plus. Thread: any.
 *
 * <p>Decoding throws {@link IllegalArgumentException} whose message says what was expected.
 */
public final class PercentCoding {
    private static final String UNRESERVED_MARKS = "-._~";
    /** RFC 3986 pchar besides letters, digits and percent escapes. */
    private static final String PCHAR_MARKS = UNRESERVED_MARKS + "!$&'()*+,;=:@";

    private PercentCoding() {}

    /** A path segment: RFC 3986 pchars. */
    public static String decodeSegment(String segment) {
        return decode(segment, PCHAR_MARKS, "percent-encoding of all but RFC 3986 pchars");
    }

    /** A value in a query, where {@code /} and {@code ?} may stand for themselves. */
    public static String decodeParameter(String value) {
        return decode(value, PCHAR_MARKS + "/?", "percent-encoding of all but RFC 3986 query characters");
    }

    /** A part of a binding's location: letters, digits, {@code - . _ ~} and escapes [R-2]. */
    public static String decodeUnreserved(String value) {
        return decode(value, UNRESERVED_MARKS, "percent-encoding of all but RFC 3986 unreserved characters");
    }

    /** Every byte but letters, digits and {@code - . _ ~} is escaped: fit for segments, queries and locations. */
    public static String encode(String text) {
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (each & 0xff);
            if (isPlain(c, UNRESERVED_MARKS)) {
                encoded.append(c);
            } else {
                encoded.append('%').append(digit(c >> 4)).append(digit(c & 0xf));
            }
        }
        return encoded.toString();
    }

    private static String decode(String text, String marks, String expected) {
        ByteBuffer bytes = ByteBuffer.allocate(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                bytes.put((byte) (hex(text, i + 1) << 4 | hex(text, i + 2)));
                i += 2;
            } else if (isPlain(c, marks)) {
                bytes.put((byte) c);
            } else {
                throw new IllegalArgumentException(expected);
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException notUtf8) {
            throw new IllegalArgumentException("percent-encoded UTF-8", notUtf8);
        }
    }

    private static boolean isPlain(char c, String marks) {
        boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return letter || (c >= '0' && c <= '9') || marks.indexOf(c) >= 0;
    }

    private static int hex(String text, int at) {
        char c = at < text.length() ? text.charAt(at) : '?';
        int digit = c < 0x80 ? Character.digit(c, 16) : -1;
        if (digit < 0) {
            throw new IllegalArgumentException("two hexadecimal digits after %");
        }
        return digit;
    }

    private static char digit(int value) {
        return Character.toUpperCase(Character.forDigit(value, 16));
    }
}
