package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.selector.Selector;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The scans of one queue: one per selector, shared by the consumers that have it and remembered for a while after the
 * last of them, since many clients attach anew for each message; or, with message groups, one per consumer.
 *
 * <p>Thread: shard only.
 */
final class Scans {
    /** Selectors of one queue that are in use at a time, or remembered. */
    static final int SELECTORS_MAX = 64;

    private final MessageQueue queue;
    /** The longest unused first. */
    private final Map<Selector, Scan> shared = new LinkedHashMap<>(4, 0.75f, true);

    private final List<Scan> own = new ArrayList<>(0);

    Scans(MessageQueue queue) {
        this.queue = queue;
    }

    /**
     * A scan that one more consumer shares.
     *
     * @throws BrokerException RESOURCE_LIMIT if too many selectors are in use
     */
    Scan share(Selector selector) {
        Scan scan = shared.get(selector);
        if (scan == null) {
            makeRoom();
            scan = new Scan(queue, selector);
            shared.put(selector, scan);
        }
        scan.consumers++;
        return scan;
    }

    /** A scan for one consumer alone. */
    Scan make(@Nullable Selector selector) {
        Scan scan = new Scan(queue, selector);
        scan.consumers = 1;
        own.add(scan);
        return scan;
    }

    /** One consumer less. */
    void release(Scan scan) {
        own.remove(scan);
        scan.consumers--;
    }

    void givenBack(int slot, long place) {
        for (Scan scan : shared.values()) {
            scan.givenBack(slot, place);
        }
        for (Scan scan : own) {
            scan.givenBack(slot, place);
        }
    }

    /** What one consumer could not have, another may have now. */
    void rewindOwn() {
        own.forEach(Scan::rewind);
    }

    /** All of them; the caller changes none of the lists meanwhile. */
    Iterable<Scan> all() {
        if (own.isEmpty()) {
            return shared.values();
        }
        List<Scan> all = new ArrayList<>(shared.values());
        all.addAll(own);
        return all;
    }

    private void makeRoom() {
        if (shared.size() < SELECTORS_MAX) {
            return;
        }
        for (Iterator<Scan> each = shared.values().iterator(); each.hasNext(); ) {
            if (each.next().consumers == 0) {
                each.remove();
                return;
            }
        }
        throw new BrokerException(
                ErrorKind.RESOURCE_LIMIT,
                "MS-0353",
                "queue '" + queue.name() + "': " + SELECTORS_MAX + " different selectors are in use.",
                "use fewer on one queue, or a topic, whose subscriptions filter when a message comes.");
    }
}
