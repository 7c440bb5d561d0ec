package io.mainstem.routing.selector;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A LIKE pattern, made ready. Characters are code points; there is no other special meaning than that of {@code %} and
 * {@code _} [F-1]. Matching remembers the last {@code %} only, so its work is at most the product of both lengths and
 * its memory none. Immutable.
 */
final class LikePattern {
    private static final int ANY_ONE = -1;
    private static final int ANY_MANY = -2;

    private final int[] parts;

    private LikePattern(int[] parts) {
        this.parts = parts;
    }

    /**
     * @param escape takes the special meaning of the character behind it, or -1
     * @return null if the pattern ends with the escape character
     */
    static @Nullable LikePattern of(String pattern, int escape) {
        int[] points = pattern.codePoints().toArray();
        int[] parts = new int[points.length];
        int count = 0;
        for (int i = 0; i < points.length; i++) {
            int point = points[i];
            if (point == escape) {
                if (++i == points.length) {
                    return null;
                }
                parts[count++] = points[i];
            } else if (point == '%') {
                if (count == 0 || parts[count - 1] != ANY_MANY) {
                    parts[count++] = ANY_MANY;
                }
            } else {
                parts[count++] = point == '_' ? ANY_ONE : point;
            }
        }
        return new LikePattern(Arrays.copyOf(parts, count));
    }

    boolean matches(String text) {
        int part = 0;
        int at = 0;
        int partAfterMany = -1;
        int retryAt = 0;
        while (at < text.length()) {
            int point = text.codePointAt(at);
            if (part < parts.length && parts[part] == ANY_MANY) {
                part++;
                partAfterMany = part;
                retryAt = at;
            } else if (part < parts.length && (parts[part] == ANY_ONE || parts[part] == point)) {
                part++;
                at += Character.charCount(point);
            } else if (partAfterMany >= 0) {
                retryAt += Character.charCount(text.codePointAt(retryAt));
                at = retryAt;
                part = partAfterMany;
            } else {
                return false;
            }
            if (part == parts.length && partAfterMany == part) {
                return true;
            }
        }
        while (part < parts.length && parts[part] == ANY_MANY) {
            part++;
        }
        return part == parts.length;
    }
}
