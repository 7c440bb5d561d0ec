package io.mainstem.store.view;

import io.mainstem.store.Entry;
import java.util.Arrays;

/**
 * Where a lane's full blocks are, which records made their entries, and between which LSNs lies what these point at: 32 bytes
 * a block that is kept. A block whose entries are all settled is taken out wherever it stands, so what has gone by a message
 * that is stuck costs nothing.
 *
 * <p>Rows lie in pages, one for each {@value #SPAN} indexes: at most 127 rows. A row is named by its <em>place</em> (page
 * and row), which holds until the next change, or is -1 for none.
 *
 * <p>Thread: shard only; frozen copies are read on any.
 */
final class BlockDirectory {
    /** LSN of a record of which it is not known, because an earlier build wrote the checkpoint. */
    static final long UNKNOWN = -1;

    /** As high as any LSN: nothing is known. */
    static final long NO_BOUND = Long.MAX_VALUE;

    private static final int SPAN = 127 * Block.ENTRIES;
    private static final int WORDS = 4;
    private static final int ROW_BITS = 8;
    private static final int ROW_MASK = (1 << ROW_BITS) - 1;
    private static final int ROOM_MIN = 2;
    /** Units of the log end with so many zeros: room for where the block begins in its page. */
    private static final long OFFSET_MASK = Entry.UNIT_BYTES - 1;

    private final Pages<Page> pages;
    private long count;

    BlockDirectory() {
        this(new Pages<>(Page[]::new), 0);
    }

    private BlockDirectory(Pages<Page> pages, long count) {
        this.pages = pages;
        this.count = count;
    }

    /**
     * What is known of one block.
     *
     * @param firstIndex of its entries
     * @param position in the view files
     * @param madeAt LSN of the record that made its first entry, or {@link #UNKNOWN}
     * @param low its entries point at nothing below; 64 KiB aligned
     * @param high of the record that made its last entry, and they point at nothing above; or {@link #NO_BOUND}
     */
    record Row(long firstIndex, long position, long madeAt, long low, long high) {
        /** Of a block that was just filled. */
        static Row of(long firstIndex, long position, long[] entries) {
            long low = Long.MAX_VALUE;
            long high = 0;
            for (int slot = 0; slot < Block.ENTRIES; slot++) {
                Entry entry = EntryWords.get(entries, slot, 0);
                low = Math.min(low, entry.firstUnit() * Entry.UNIT_BYTES);
                high = Math.max(high, LostBlock.madeAt(entry));
            }
            return new Row(firstIndex, position, LostBlock.madeAt(EntryWords.get(entries, 0, 0)), low, high);
        }

        /** Behind its last entry. */
        long endIndex() {
            return firstIndex + Block.ENTRIES;
        }

        /** False if no entry of it points into [from, to). */
        boolean mayPointInto(long from, long to) {
            return low < to && high >= from;
        }
    }

    /** Rows of blocks that begin in one span, ascending: position, low | offset in the span, high, madeAt; never empty. */
    private static final class Page extends Pages.Page<Page> {
        private long[] words;
        private int rows;

        private Page(long[] words, int rows) {
            this.words = words;
            this.rows = rows;
        }

        @Override
        Page copy() {
            return new Page(Arrays.copyOf(words, rows * WORDS), rows);
        }

        private int offset(int row) {
            return (int) (words[row * WORDS + 1] & OFFSET_MASK);
        }

        /** The last row that begins at the offset or before it, or -1. */
        private int floor(int offset) {
            if (offset < offset(0)) {
                return -1;
            }
            int guess = (offset - offset(0)) / Block.ENTRIES;
            if (guess < rows && offset >= offset(guess) && offset < offset(guess) + Block.ENTRIES) {
                return guess; // no block before it is gone
            }
            int low = 0;
            int high = rows - 1;
            while (low <= high) {
                int middle = (low + high) >>> 1;
                if (offset(middle) <= offset) {
                    low = middle + 1;
                } else {
                    high = middle - 1;
                }
            }
            return high;
        }

        private void add(Row row, int offset) {
            if ((rows + 1) * WORDS > words.length) {
                words = Arrays.copyOf(words, Math.max(ROOM_MIN, rows + (rows >> 1)) * WORDS);
            }
            int at = rows++ * WORDS;
            words[at] = row.position;
            words[at + 1] = row.low | offset;
            words[at + 2] = row.high;
            words[at + 3] = row.madeAt;
        }

        private void remove(int row) {
            System.arraycopy(words, (row + 1) * WORDS, words, row * WORDS, (rows - row - 1) * WORDS);
            rows--;
            if (rows * WORDS * 4 < words.length) {
                words = Arrays.copyOf(words, Math.max(ROOM_MIN, 2 * rows) * WORDS);
            }
        }
    }

    /** A copy that never changes. */
    BlockDirectory freeze() {
        return new BlockDirectory(pages.freeze(), count);
    }

    /** Blocks there are. */
    long count() {
        return count;
    }

    /** Pages they lie in. */
    int pages() {
        return pages.size();
    }

    /** Place of the first block of a page; that of the next page, or behind the last, is where the page ends. */
    static long placeOfPage(int page) {
        return (long) page << ROW_BITS;
    }

    // ---- finding ----

    /** Place of the block that has this entry, or -1. */
    long find(long index) {
        long place = floor(index);
        return place >= 0 && index < firstIndex(place) + Block.ENTRIES ? place : -1;
    }

    /** Place of the block that has this entry or else of the next one behind it, or -1. */
    long findOrNext(long index) {
        long place = floor(index);
        if (place < 0) {
            return first();
        }
        return index < firstIndex(place) + Block.ENTRIES ? place : next(place);
    }

    private long floor(long index) {
        long number = index / SPAN;
        int page = pages.find(number);
        int row = page < 0 ? -1 : pages.get(page).floor((int) (index % SPAN));
        if (row >= 0) {
            return placeOfPage(page) + row;
        }
        int before = (page < 0 ? -page - 1 : page) - 1;
        return before < 0 ? -1 : placeOfPage(before) + pages.get(before).rows - 1;
    }

    /** Place of the first block, or -1. */
    long first() {
        return pages.size() == 0 ? -1 : 0;
    }

    /** Place of the block behind, or -1. */
    long next(long place) {
        int page = page(place);
        if (row(place) + 1 < pages.get(page).rows) {
            return place + 1;
        }
        return page + 1 < pages.size() ? placeOfPage(page + 1) : -1;
    }

    /** Place of the block before, or -1. */
    long before(long place) {
        if (row(place) > 0) {
            return place - 1;
        }
        int page = page(place) - 1;
        return page < 0 ? -1 : placeOfPage(page) + pages.get(page).rows - 1;
    }

    long firstIndex(long place) {
        int page = page(place);
        return pages.number(page) * SPAN + pages.get(page).offset(row(place));
    }

    long position(long place) {
        return pages.get(page(place)).words[row(place) * WORDS];
    }

    /** All that is known of a block. */
    Row get(long place) {
        long[] words = pages.get(page(place)).words;
        int at = row(place) * WORDS;
        return new Row(firstIndex(place), words[at], words[at + 3], words[at + 1] & ~OFFSET_MASK, words[at + 2]);
    }

    // ---- changing ----

    /** Adds a block behind all others. */
    void add(Row row) {
        long number = row.firstIndex / SPAN;
        int page = pages.find(number);
        Page last = page >= 0
                ? pages.writable(page)
                : pages.insert(-page - 1, number, new Page(new long[ROOM_MIN * WORDS], 0));
        last.add(row, (int) (row.firstIndex % SPAN));
        count++;
    }

    /** The block's entries lie elsewhere now. */
    void move(long place, long position) {
        pages.writable(page(place)).words[row(place) * WORDS] = position;
    }

    /** All entries of the block are settled. */
    void remove(long place) {
        Page page = pages.writable(page(place));
        page.remove(row(place));
        if (page.rows == 0) {
            pages.remove(page(place), page(place) + 1);
        }
        count--;
    }

    /** Nothing waits in any of them. */
    void clear() {
        pages.remove(0, pages.size());
        count = 0;
    }

    private static int page(long place) {
        return (int) (place >>> ROW_BITS);
    }

    private static int row(long place) {
        return (int) place & ROW_MASK;
    }
}
