package io.mainstem.routing.queue;

import io.mainstem.routing.selector.Selector;
import io.mainstem.store.Route;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.LongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * How far the lanes of a queue have been looked through for one selector, or, where a queue has message groups, for one
 * consumer. What lies below {@link #next} was looked at and is of no interest, except for what was given back since: so
 * every message is tested once, however deep the queue and however few match (ADR 0011).
 *
 * <p>Lanes go by slot: 0 to 9 are stored, 10 to 19 transient; what stands in a slot goes by its index or sequence.
 *
 * <p>Thread: shard only.
 */
final class Scan implements ReadAheadOwner {
    private static final int SLOTS = 2 * Route.LANES_MAX;

    private final MessageQueue queue;
    private final @Nullable Selector selector;
    private final long[] lookedThrough = new long[SLOTS];
    private final @Nullable Roaring64Bitmap[] again = new Roaring64Bitmap[SLOTS];
    private @Nullable ReadAhead readAhead;

    /** Kept by {@link Scans}: how many consumers share it. */
    int consumers;
    /** Kept by {@link IdleConsumers}: the turn in which it found nothing, or has to wait. */
    long idleInTurn;
    /** Kept by {@link IdleConsumers}: which of the two. */
    Step idleStep = Step.NOTHING;
    /** Kept by {@link Dispatcher}: the turn after which somebody with credit still waits for it. */
    long wantedInTurn;

    /** @param selector null = everything is of interest */
    Scan(MessageQueue queue, @Nullable Selector selector) {
        this.queue = queue;
        this.selector = selector;
    }

    static int storedSlot(int priority) {
        return priority;
    }

    static int transientSlot(int priority) {
        return Route.LANES_MAX + priority;
    }

    @Nullable
    Selector selector() {
        return selector;
    }

    /**
     * The lowest place at or above {@code from} to look at, or -1.
     *
     * @param readyFrom gives the lowest ready place at or above another, or -1
     */
    long next(int slot, long from, LongUnaryOperator readyFrom) {
        Roaring64Bitmap places = again[slot];
        if (places != null) {
            for (long place = first(places, from); place >= 0; place = first(places, place + 1)) {
                if (readyFrom.applyAsLong(place) == place) {
                    return place;
                }
                // Gone, or taken: then it is told when it is given back.
                places.removeLong(place);
            }
            if (places.isEmpty()) {
                again[slot] = null;
            }
        }
        return readyFrom.applyAsLong(Math.max(from, lookedThrough[slot]));
    }

    /** It is of no interest any more: taken, gone, or no match. */
    void passed(int slot, long place) {
        if (place >= lookedThrough[slot]) {
            lookedThrough[slot] = place + 1;
        } else if (again[slot] != null) {
            again[slot].removeLong(place);
        }
    }

    /** It is of interest, but not to the consumer that looked. */
    void left(int slot, long place) {
        if (place >= lookedThrough[slot]) {
            lookedThrough[slot] = place + 1;
            lookAgain(slot, place);
        }
    }

    /** It is ready again: it may match now, or was taken when its turn was. */
    void givenBack(int slot, long place) {
        if (place < lookedThrough[slot]) {
            lookAgain(slot, place);
        }
    }

    /** Everything is of interest again. */
    void rewind() {
        for (int slot = 0; slot < SLOTS; slot++) {
            lookedThrough[slot] = 0;
            again[slot] = null;
        }
    }

    @Override
    public MessageQueue queue() {
        return queue;
    }

    @Override
    public boolean gone() {
        return consumers == 0 || queue.deleted();
    }

    @Override
    public @Nullable ReadAhead readAhead() {
        return readAhead;
    }

    @Override
    public void readAhead(@Nullable ReadAhead newReadAhead) {
        this.readAhead = newReadAhead;
    }

    private void lookAgain(int slot, long place) {
        Roaring64Bitmap places = again[slot];
        if (places == null) {
            places = new Roaring64Bitmap();
            again[slot] = places;
        }
        places.addLong(place);
    }

    private static long first(Roaring64Bitmap places, long from) {
        LongIterator found = places.getLongIteratorFrom(from);
        return found.hasNext() ? found.next() : -1;
    }
}
