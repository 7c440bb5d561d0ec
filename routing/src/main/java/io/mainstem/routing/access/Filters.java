package io.mainstem.routing.access;

/**
 * Topic filters as sets of topics, in key text: words split on {@code .}, {@code *} is one word, {@code #} any number of
 * them [A-1]. A topic is a filter without wildcards. Pure; the time is bounded by the product of both lengths.
 */
final class Filters {
    private static final String ANY = "#";
    private static final String ONE = "*";

    private Filters() {}

    static String[] words(String filter) {
        return filter.isEmpty() ? new String[0] : filter.split("\\.", -1);
    }

    /** True if every topic of {@code inner} certainly is one of {@code outer}. */
    static boolean covers(String[] outer, String[] inner) {
        // holds[j]: the words of outer from i on cover those of inner from j on.
        boolean[] holds = new boolean[inner.length + 1];
        holds[inner.length] = true;
        for (int i = outer.length - 1; i >= 0; i--) {
            boolean[] longer = new boolean[inner.length + 1];
            boolean any = outer[i].equals(ANY);
            longer[inner.length] = any && holds[inner.length];
            for (int j = inner.length - 1; j >= 0; j--) {
                longer[j] = any ? holds[j] || longer[j + 1] : takes(outer[i], inner[j]) && holds[j + 1];
            }
            holds = longer;
        }
        return holds[0];
    }

    private static boolean takes(String outer, String inner) {
        return outer.equals(ONE) ? !inner.equals(ANY) : outer.equals(inner);
    }

    /** True if some topic may be one of both. */
    static boolean overlap(String[] left, String[] right) {
        boolean[] holds = new boolean[right.length + 1];
        holds[right.length] = true;
        for (int j = right.length - 1; j >= 0; j--) {
            holds[j] = right[j].equals(ANY) && holds[j + 1];
        }
        for (int i = left.length - 1; i >= 0; i--) {
            boolean[] longer = new boolean[right.length + 1];
            boolean any = left[i].equals(ANY);
            longer[right.length] = any && holds[right.length];
            for (int j = right.length - 1; j >= 0; j--) {
                if (any || right[j].equals(ANY)) {
                    longer[j] = holds[j] || longer[j + 1];
                } else {
                    longer[j] = meets(left[i], right[j]) && holds[j + 1];
                }
            }
            holds = longer;
        }
        return holds[0];
    }

    private static boolean meets(String left, String right) {
        return left.equals(ONE) || right.equals(ONE) || left.equals(right);
    }
}
