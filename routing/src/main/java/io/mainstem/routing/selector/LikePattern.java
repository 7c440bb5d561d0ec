package io.mainstem.routing.selector;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A LIKE pattern, made ready. Characters are code points; there is no other special meaning than that of {@code %} and
 * {@code _} [F-1]. What stands before the first {@code %} and behind the last is compared at its place; what stands between
 * two is found from left to right, each at its first place, which leaves most to the others. So the work is linear in the
 * text: at most twice its length, or {@value #JOKER_PART_MAX} times where such a part has a {@code _}. Immutable.
 */
final class LikePattern {
    /** Code points between two {@code %} if there is a {@code _} among them: those are tried at each place. */
    static final int JOKER_PART_MAX = 32;

    private static final int ANY_ONE = -1;
    private static final int ANY_MANY = -2;
    private static final int NOT_FOUND = -1;
    private static final int UNAFFORDABLE = -2;

    private final int[] head;
    private final List<Part> between;
    /** Null: there is no {@code %}. */
    private final int @Nullable [] tail;

    private LikePattern(int[] head, List<Part> between, int @Nullable [] tail) {
        this.head = head;
        this.between = between;
        this.tail = tail;
    }

    /** A pattern that cannot be. */
    static final class Unusable extends Exception {
        private static final long serialVersionUID = 1L;

        private Unusable(String expected) {
            super(expected, null, false, false);
        }
    }

    /**
     * @param escape takes the special meaning of the character behind it, or -1
     * @throws Unusable saying what was expected
     */
    static LikePattern of(String pattern, int escape) throws Unusable {
        int[] points = parts(pattern, escape);
        List<int[]> pieces = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < points.length; i++) {
            if (points[i] == ANY_MANY) {
                pieces.add(Arrays.copyOfRange(points, from, i));
                from = i + 1;
            }
        }
        int[] last = Arrays.copyOfRange(points, from, points.length);
        if (pieces.isEmpty()) {
            return new LikePattern(last, List.of(), null);
        }
        List<Part> between = new ArrayList<>();
        for (int[] piece : pieces.subList(1, pieces.size())) {
            if (piece.length > 0) {
                between.add(Part.of(piece));
            }
        }
        return new LikePattern(pieces.get(0), List.copyOf(between), last);
    }

    private static int[] parts(String pattern, int escape) throws Unusable {
        int[] points = pattern.codePoints().toArray();
        int[] parts = new int[points.length];
        int count = 0;
        for (int i = 0; i < points.length; i++) {
            int point = points[i];
            if (point == escape) {
                if (++i == points.length) {
                    throw new Unusable("a character behind the escape character");
                }
                parts[count++] = points[i];
            } else {
                parts[count++] = point == '%' ? ANY_MANY : point == '_' ? ANY_ONE : point;
            }
        }
        return Arrays.copyOf(parts, count);
    }

    /** @return null if there is not work enough left to know */
    @Nullable
    Boolean matches(String text, Work work) {
        int[] end = tail;
        if (!work.spend(head.length + (end == null ? 0 : end.length))) {
            return null;
        }
        int at = 0;
        for (int part : head) {
            if (at == text.length() || !takes(part, text.codePointAt(at))) {
                return false;
            }
            at += Character.charCount(text.codePointAt(at));
        }
        if (end == null) {
            return at == text.length();
        }
        int to = text.length();
        for (int i = end.length - 1; i >= 0; i--) {
            if (to <= at || !takes(end[i], text.codePointBefore(to))) {
                return false;
            }
            to -= Character.charCount(text.codePointBefore(to));
        }
        for (Part part : between) {
            at = part.behind(text, at, to, work);
            if (at < 0) {
                return at == NOT_FOUND ? Boolean.FALSE : null;
            }
        }
        return true;
    }

    private static boolean takes(int part, int point) {
        return part == ANY_ONE || part == point;
    }

    /**
     * What stands between two {@code %}.
     *
     * @param border of each beginning, the length of the longest shorter one that it ends with (Knuth, Morris, Pratt); null:
     *     there is a {@code _}
     */
    private record Part(int[] points, int @Nullable [] border) {
        static Part of(int[] points) throws Unusable {
            if (Arrays.stream(points).anyMatch(point -> point == ANY_ONE)) {
                if (points.length > JOKER_PART_MAX) {
                    throw new Unusable("at most " + JOKER_PART_MAX + " characters between two % if one is a _");
                }
                return new Part(points, null);
            }
            int[] border = new int[points.length];
            for (int i = 1, length = 0; i < points.length; i++) {
                while (length > 0 && points[i] != points[length]) {
                    length = border[length - 1];
                }
                length += points[i] == points[length] ? 1 : 0;
                border[i] = length;
            }
            return new Part(points, border);
        }

        /** Index behind its first place between {@code from} and {@code to}, or why there is none. */
        int behind(String text, int from, int to, Work work) {
            int[] borders = border;
            return borders == null ? tried(text, from, to, work) : found(borders, text, from, to, work);
        }

        private int found(int[] borders, String text, int from, int to, Work work) {
            int length = 0;
            for (int at = from; at < to; ) {
                int point = text.codePointAt(at);
                at += Character.charCount(point);
                if (!work.spend(1)) {
                    return UNAFFORDABLE;
                }
                while (length > 0 && points[length] != point) {
                    length = borders[length - 1];
                }
                length += points[length] == point ? 1 : 0;
                if (length == points.length) {
                    return at;
                }
            }
            return NOT_FOUND;
        }

        private int tried(String text, int from, int to, Work work) {
            for (int start = from; start < to; start += Character.charCount(text.codePointAt(start))) {
                int at = start;
                int matched = 0;
                while (matched < points.length && at < to && takes(points[matched], text.codePointAt(at))) {
                    at += Character.charCount(text.codePointAt(at));
                    matched++;
                }
                if (!work.spend(matched + 1)) {
                    return UNAFFORDABLE;
                }
                if (matched == points.length) {
                    return at;
                }
            }
            return NOT_FOUND;
        }
    }
}
