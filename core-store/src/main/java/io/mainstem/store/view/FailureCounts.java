package io.mainstem.store.view;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How often delivery of which entries has failed. Thread: shard only; frozen copies are read on any.
 */
final class FailureCounts {
    private static final int SHIFT = 10;

    private final Pages<Page> pages;
    private int size;

    FailureCounts() {
        this(new Pages<>(Page[]::new), 0);
    }

    private FailureCounts(Pages<Page> pages, int size) {
        this.pages = pages;
        this.size = size;
    }

    /** Of 1,024 entries that follow one another; never empty. */
    private static final class Page extends Pages.Page<Page> {
        private final SortedMap<Long, Integer> counts;

        private Page(SortedMap<Long, Integer> counts) {
            this.counts = counts;
        }

        @Override
        Page copy() {
            return new Page(new TreeMap<>(counts));
        }
    }

    /** Receives counts, ascending. */
    @FunctionalInterface
    interface Visitor {
        void count(long index, int failures);
    }

    /** A copy that never changes. */
    FailureCounts freeze() {
        return new FailureCounts(pages.freeze(), size);
    }

    /** Entries with a count. */
    int size() {
        return size;
    }

    int pages() {
        return pages.size();
    }

    /** Tells the counts of the i-th page. */
    void forEach(int page, Visitor to) {
        pages.get(page).counts.forEach(to::count);
    }

    int get(long index) {
        int at = pages.find(index >>> SHIFT);
        return at < 0 ? 0 : pages.get(at).counts.getOrDefault(index, 0);
    }

    void add(long index, int failures) {
        int at = pages.find(index >>> SHIFT);
        Page page = at < 0 ? pages.insert(-at - 1, index >>> SHIFT, new Page(new TreeMap<>())) : pages.writable(at);
        int before = page.counts.size();
        page.counts.merge(index, failures, Integer::sum);
        size += page.counts.size() - before;
    }

    /** Forgets those of [from, to). */
    void remove(long from, long to) {
        int at = pages.atOrAfter(from >>> SHIFT);
        while (at < pages.size() && pages.number(at) <= (to - 1) >>> SHIFT) {
            if (pages.get(at).counts.subMap(from, to).isEmpty()) {
                at++;
                continue;
            }
            SortedMap<Long, Integer> left = pages.writable(at).counts;
            int before = left.size();
            left.subMap(from, to).clear();
            size -= before - left.size();
            if (left.isEmpty()) {
                pages.remove(at, at + 1);
            } else {
                at++;
            }
        }
    }
}
