package io.mainstem.transport.security;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import org.jspecify.annotations.Nullable;

/**
 * Names and passwords in one normal form, so that what is typed on different keyboards compares equal: SASLprep
 * (RFC 4013) without its bidirectional checks, which only refuse.
 */
public final class SaslPrep {
    private static final String MAPPED_TO_NOTHING = "\u00AD\u034F\u1806\u180B\u180C\u180D\u200B\u200C\u200D\u2060"
            + "\uFE00\uFE01\uFE02\uFE03\uFE04\uFE05\uFE06\uFE07\uFE08\uFE09\uFE0A\uFE0B\uFE0C\uFE0D\uFE0E\uFE0F\uFEFF";

    private SaslPrep() {}

    /** The normal form, or null if the text is empty or has characters that are not allowed. */
    public static @Nullable String prepare(String text) {
        String normal = isAscii(text) ? text : Normalizer.normalize(mapped(text), Normalizer.Form.NFKC);
        return normal.isEmpty() || normal.codePoints().anyMatch(SaslPrep::prohibited) ? null : normal;
    }

    /** The normal form of UTF-8, or null if it is not UTF-8, is empty or has characters that are not allowed. */
    static @Nullable String prepare(byte[] utf8) {
        String text = decode(utf8);
        return text == null ? null : prepare(text);
    }

    /** The text, or null if the bytes are not UTF-8. */
    static @Nullable String decode(byte[] utf8) {
        try {
            CharBuffer text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(utf8));
            return text.toString();
        } catch (CharacterCodingException malformed) {
            return null;
        }
    }

    private static boolean isAscii(String text) {
        return text.chars().allMatch(c -> c < 0x80);
    }

    private static String mapped(String text) {
        StringBuilder mapped = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (Character.getType(c) == Character.SPACE_SEPARATOR) {
                mapped.append(' ');
            } else if (MAPPED_TO_NOTHING.indexOf(c) < 0) {
                mapped.appendCodePoint(c);
            }
        });
        return mapped.toString();
    }

    private static boolean prohibited(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> true;
            default -> c == 0xFFFD;
        };
    }
}
