package io.mainstem.store.view;

import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * Pages by number, ascending; a number without a page takes no memory, however far numbers lie apart. A frozen copy shares
 * the pages and costs one reference a page; a page that is shared is copied before it is changed.
 *
 * <p>Thread: one that changes it; frozen copies are read on any.
 */
final class Pages<P extends Pages.Page<P>> {
    private static final int ROOM_MIN = 4;

    private final IntFunction<P[]> array;
    private long[] numbers;
    private P[] pages;
    private int size;
    /** Where one was found last: the next one looked for is often the same. */
    private int near;

    /** A part of something that is kept page by page. */
    abstract static class Page<P> {
        private boolean shared;

        /** The same, to be changed. */
        abstract P copy();
    }

    Pages(IntFunction<P[]> array) {
        this.array = array;
        this.numbers = new long[ROOM_MIN];
        this.pages = array.apply(ROOM_MIN);
    }

    private Pages(Pages<P> of) {
        this.array = of.array;
        this.numbers = Arrays.copyOf(of.numbers, of.size);
        this.pages = Arrays.copyOf(of.pages, of.size);
        this.size = of.size;
    }

    /** A copy that never changes. */
    Pages<P> freeze() {
        for (int i = 0; i < size; i++) {
            share(pages[i]);
        }
        return new Pages<>(this);
    }

    private static void share(Page<?> page) {
        page.shared = true;
    }

    private static boolean isShared(Page<?> page) {
        return page.shared;
    }

    int size() {
        return size;
    }

    /** Number of the i-th page. */
    long number(int i) {
        return numbers[i];
    }

    /** The i-th page, to be read. */
    P get(int i) {
        return pages[i];
    }

    /** The i-th page, to be changed. */
    P writable(int i) {
        P page = pages[i];
        if (isShared(page)) {
            page = page.copy();
            pages[i] = page;
        }
        return page;
    }

    /** Place of the page with that number, or {@code -(place it would have) - 1}. */
    int find(long number) {
        int last = near;
        if (last < size && numbers[last] == number) {
            return last;
        }
        int found = Arrays.binarySearch(numbers, 0, size, number);
        if (found >= 0) {
            near = found;
        }
        return found;
    }

    /** Place of the first page with that number or a higher one; {@link #size} if there is none. */
    int atOrAfter(long number) {
        int found = find(number);
        return found >= 0 ? found : -found - 1;
    }

    /** Puts a page in where {@link #find} said that it would be. */
    P insert(int at, long number, P page) {
        if (size == numbers.length) {
            int room = Math.max(ROOM_MIN, size + (size >> 1));
            numbers = Arrays.copyOf(numbers, room);
            pages = Arrays.copyOf(pages, room);
        }
        System.arraycopy(numbers, at, numbers, at + 1, size - at);
        System.arraycopy(pages, at, pages, at + 1, size - at);
        numbers[at] = number;
        pages[at] = page;
        size++;
        return page;
    }

    /** Takes the pages at [from, to) out. */
    void remove(int from, int to) {
        if (from >= to) {
            return;
        }
        System.arraycopy(numbers, to, numbers, from, size - to);
        System.arraycopy(pages, to, pages, from, size - to);
        int left = size - (to - from);
        Arrays.fill(pages, left, size, null);
        size = left;
        if (size < numbers.length / 4 && numbers.length > ROOM_MIN) {
            int room = Math.max(ROOM_MIN, 2 * size);
            numbers = Arrays.copyOf(numbers, room);
            pages = Arrays.copyOf(pages, room);
        }
    }
}
