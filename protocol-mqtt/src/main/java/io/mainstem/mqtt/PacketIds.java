package io.mainstem.mqtt;

import java.util.HashSet;
import java.util.Set;

/**
 * Packet ids of deliveries. A stored message of the session's own queue has the id that its place in the queue gives:
 * so it comes again with the same id after any restart, and nothing has to be written down before it is sent
 * [MQTT-4.4.0-1]. All others get ids of a range of their own. Thread: the connection's event loop.
 */
final class PacketIds {
    /** Ids 1 to this are given by the place. */
    static final int OWN_MAX = 49_151;

    private static final int ALL_MAX = 65_535;
    private static final int OTHERS = ALL_MAX - OWN_MAX;

    /** Few, and anywhere among all: a client that has nothing under way keeps no memory for it. */
    private final Set<Integer> used = new HashSet<>();

    private int lastOther;

    /** @param position of the message in the session's queue, >= 0 */
    static int ofPosition(long position) {
        return (int) (position % OWN_MAX) + 1;
    }

    boolean inUse(int id) {
        return used.contains(id);
    }

    void take(int id) {
        used.add(id);
    }

    void free(int id) {
        used.remove(id);
    }

    /** Takes an id that no place gives, or returns 0 if all are in use. */
    int takeOther() {
        for (int tries = 0; tries < OTHERS; tries++) {
            lastOther = lastOther % OTHERS + 1;
            int id = OWN_MAX + lastOther;
            if (!used.contains(id)) {
                used.add(id);
                return id;
            }
        }
        return 0;
    }
}
