package io.mainstem.routing.topology;

import io.mainstem.routing.ExchangeType;
import java.util.Arrays;

/**
 * The last changes of an exchange's bindings, so that a route found before them is known to be good still if none of them is
 * about its key. Immutable; thread: any.
 *
 * @param lost route epoch of the newest change that is not listed any more, or of the exchange's making
 * @param epochs of the listed changes, ascending
 * @param keys binding keys of the listed changes
 */
record RecentChanges(long lost, long[] epochs, String[] keys) {
    private static final int LISTED_MAX = 16;
    /** Longer ones are not kept alive for this. */
    private static final int KEY_CHARS_MAX = 256;

    static RecentChanges since(long epoch) {
        return new RecentChanges(epoch, new long[0], new String[0]);
    }

    RecentChanges with(long epoch, ExchangeType type, String key) {
        if (type == ExchangeType.FANOUT || type == ExchangeType.HEADERS || key.length() > KEY_CHARS_MAX) {
            return since(epoch);
        }
        int from = epochs.length == LISTED_MAX ? 1 : 0;
        int kept = epochs.length - from;
        long[] longer = Arrays.copyOfRange(epochs, from, epochs.length + 1);
        String[] longerKeys = Arrays.copyOfRange(keys, from, keys.length + 1);
        longer[kept] = epoch;
        longerKeys[kept] = key;
        return new RecentChanges(from == 0 ? lost : epochs[0], longer, longerKeys);
    }

    /** True if what was found for the key at that epoch may be different now. */
    boolean concern(String key, long epoch, ExchangeType type) {
        if (epoch < lost) {
            return true;
        }
        for (int i = epochs.length - 1; i >= 0 && epochs[i] > epoch; i--) {
            if (type == ExchangeType.TOPIC ? matches(keys[i], key) : keys[i].equals(key)) {
                return true;
            }
        }
        return false;
    }

    /** True if the words of the pattern may be those of the key; of reserved keys it says so rather too often. */
    static boolean matches(String pattern, String key) {
        int patternEnd = pattern.length() + 1;
        int keyEnd = key.length() + 1;
        int p = pattern.isEmpty() ? patternEnd : 0;
        int k = key.isEmpty() ? keyEnd : 0;
        int behindMany = -1;
        int manyTo = 0;
        while (k < keyEnd) {
            int next = wordEnd(key, k);
            if (p < patternEnd && isWord(pattern, p, '#')) {
                p += 2;
                behindMany = p;
                manyTo = k;
            } else if (p < patternEnd && (isWord(pattern, p, '*') || sameWord(pattern, p, key, k, next))) {
                p = wordEnd(pattern, p) + 1;
                k = next + 1;
            } else if (behindMany >= 0) {
                manyTo = wordEnd(key, manyTo) + 1;
                p = behindMany;
                k = manyTo;
            } else {
                return false;
            }
        }
        while (p < patternEnd && isWord(pattern, p, '#')) {
            p += 2;
        }
        return p >= patternEnd;
    }

    private static int wordEnd(String text, int from) {
        int dot = text.indexOf('.', from);
        return dot < 0 ? text.length() : dot;
    }

    private static boolean isWord(String text, int from, char word) {
        return from < text.length()
                && text.charAt(from) == word
                && (from + 1 == text.length() || text.charAt(from + 1) == '.');
    }

    private static boolean sameWord(String pattern, int p, String key, int k, int keyWordEnd) {
        int length = keyWordEnd - k;
        return wordEnd(pattern, p) - p == length && pattern.regionMatches(p, key, k, length);
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
