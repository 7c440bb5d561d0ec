package io.mainstem.routing;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds what somebody probably meant. Thread: any. */
public final class Spelling {
    private Spelling() {}

    /** The word with the fewest edits from {@code wrong}; empty if none is near (more than half of it would change). */
    public static Optional<String> nearest(String wrong, Collection<String> words) {
        return words.stream()
                .min(Comparator.comparingInt((String word) -> edits(wrong, word))
                        .thenComparing(word -> word))
                .filter(word -> edits(wrong, word) <= Math.max(2, wrong.length() / 2));
    }

    /** Insertions, removals and replacements between the two. */
    public static int edits(String from, String to) {
        int[] previous = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] current = new int[to.length() + 1];
            current[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = previous[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
            }
            previous = current;
        }
        return previous[to.length()];
    }
}
