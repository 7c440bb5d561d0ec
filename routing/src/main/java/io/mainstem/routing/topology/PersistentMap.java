package io.mainstem.routing.topology;

import java.util.Arrays;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An immutable hash map: {@link #with} and {@link #without} give a new one that shares all but the path to the change,
 * so that a snapshot with 100,000 entries is extended by copying a few small arrays. A hash array mapped trie with
 * entries before sub-nodes in one array (Steindorfer and Vinju, 2015).
 *
 * <p>Thread: any. Iteration order depends on the keys' hashes only.
 */
final class PersistentMap<K, V> {
    private static final int BITS = 5;
    private static final int MASK = 31;
    /** Below this shift the hash is used up, and a node lists entries of one hash. */
    private static final int SHIFT_MAX = 35;

    private static final Node EMPTY_NODE = new Node(0, 0, new Object[0]);
    private static final PersistentMap<?, ?> EMPTY = new PersistentMap<>(EMPTY_NODE, 0);

    private final Node root;
    private final int size;

    private PersistentMap(Node root, int size) {
        this.root = root;
        this.size = size;
    }

    @SuppressWarnings("unchecked") // holds nothing
    static <K, V> PersistentMap<K, V> empty() {
        return (PersistentMap<K, V>) EMPTY;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** The value, or null if there is none. */
    @SuppressWarnings("unchecked") // slots hold what with() put there
    @Nullable
    V get(K key) {
        return (V) root.find(key, hash(key));
    }

    /** This map with the key's value set. */
    PersistentMap<K, V> with(K key, V value) {
        Object before = get(key);
        if (before == value) {
            return this;
        }
        return new PersistentMap<>(root.put(key, value, hash(key), 0), before == null ? size + 1 : size);
    }

    /** This map without the key. */
    PersistentMap<K, V> without(K key) {
        if (get(key) == null) {
            return this;
        }
        return size == 1 ? empty() : new PersistentMap<>(root.remove(key, hash(key), 0), size - 1);
    }

    @SuppressWarnings("unchecked") // slots hold what with() put there
    void forEach(BiConsumer<? super K, ? super V> action) {
        root.forEach((BiConsumer<Object, Object>) (BiConsumer<?, ?>) action, 0);
    }

    private static int hash(Object key) {
        int hash = key.hashCode();
        return hash ^ hash >>> 16;
    }

    private static int bit(int hash, int shift) {
        return 1 << (hash >>> shift & MASK);
    }

    /**
     * @param entryMap which of the 32 places hold an entry: key and value, from the front of {@code slots}
     * @param nodeMap which hold a sub-node, from the back of {@code slots}
     */
    private record Node(int entryMap, int nodeMap, Object[] slots) {
        private int entryAt(int bit) {
            return 2 * Integer.bitCount(entryMap & bit - 1);
        }

        private int nodeAt(int bit) {
            return slots.length - 1 - Integer.bitCount(nodeMap & bit - 1);
        }

        private int listedAt(Object key) {
            for (int i = 0; i < slots.length; i += 2) {
                if (slots[i].equals(key)) {
                    return i;
                }
            }
            return -1;
        }

        @Nullable
        Object find(Object key, int hash) {
            Node node = this;
            for (int shift = 0; shift < SHIFT_MAX; shift += BITS) {
                int bit = bit(hash, shift);
                if ((node.entryMap & bit) != 0) {
                    int at = node.entryAt(bit);
                    return node.slots[at].equals(key) ? node.slots[at + 1] : null;
                }
                if ((node.nodeMap & bit) == 0) {
                    return null;
                }
                node = (Node) node.slots[node.nodeAt(bit)];
            }
            int at = node.listedAt(key);
            return at < 0 ? null : node.slots[at + 1];
        }

        Node put(Object key, Object value, int hash, int shift) {
            if (shift >= SHIFT_MAX) {
                int at = listedAt(key);
                return at < 0 ? inserted(slots.length, key, value, 0) : replaced(at + 1, value);
            }
            int bit = bit(hash, shift);
            if ((nodeMap & bit) != 0) {
                int at = nodeAt(bit);
                return replaced(at, ((Node) slots[at]).put(key, value, hash, shift + BITS));
            }
            if ((entryMap & bit) == 0) {
                return inserted(entryAt(bit), key, value, bit);
            }
            int at = entryAt(bit);
            if (slots[at].equals(key)) {
                return replaced(at + 1, value);
            }
            Node below = EMPTY_NODE
                    .put(slots[at], slots[at + 1], PersistentMap.hash(slots[at]), shift + BITS)
                    .put(key, value, hash, shift + BITS);
            return entryToNode(bit, at, below);
        }

        /** The caller knows that the key is there. */
        Node remove(Object key, int hash, int shift) {
            if (shift >= SHIFT_MAX) {
                return entryRemoved(listedAt(key), 0);
            }
            int bit = bit(hash, shift);
            if ((entryMap & bit) != 0) {
                return entryRemoved(entryAt(bit), bit);
            }
            int at = nodeAt(bit);
            Node below = ((Node) slots[at]).remove(key, hash, shift + BITS);
            // An only entry moves up, so that equal content has an equal shape and paths stay short.
            boolean single = below.slots.length == 2 && below.nodeMap == 0;
            return single ? nodeToEntry(bit, at, below.slots) : replaced(at, below);
        }

        void forEach(BiConsumer<Object, Object> action, int shift) {
            int entries = shift >= SHIFT_MAX ? slots.length : 2 * Integer.bitCount(entryMap);
            for (int i = 0; i < entries; i += 2) {
                action.accept(slots[i], slots[i + 1]);
            }
            for (int i = entries; i < slots.length; i++) {
                ((Node) slots[i]).forEach(action, shift + BITS);
            }
        }

        private Node replaced(int at, Object slot) {
            Object[] copy = slots.clone();
            copy[at] = slot;
            return new Node(entryMap, nodeMap, copy);
        }

        private Node inserted(int at, Object key, Object value, int bit) {
            Object[] copy = new Object[slots.length + 2];
            System.arraycopy(slots, 0, copy, 0, at);
            copy[at] = key;
            copy[at + 1] = value;
            System.arraycopy(slots, at, copy, at + 2, slots.length - at);
            return new Node(entryMap | bit, nodeMap, copy);
        }

        private Node entryRemoved(int at, int bit) {
            Object[] copy = new Object[slots.length - 2];
            System.arraycopy(slots, 0, copy, 0, at);
            System.arraycopy(slots, at + 2, copy, at, copy.length - at);
            return new Node(entryMap & ~bit, nodeMap, copy);
        }

        private Node entryToNode(int bit, int at, Node below) {
            Object[] copy = new Object[slots.length - 1];
            int nodeAt = copy.length - 1 - Integer.bitCount(nodeMap & bit - 1);
            System.arraycopy(slots, 0, copy, 0, at);
            System.arraycopy(slots, at + 2, copy, at, nodeAt - at);
            copy[nodeAt] = below;
            System.arraycopy(slots, nodeAt + 2, copy, nodeAt + 1, copy.length - nodeAt - 1);
            return new Node(entryMap & ~bit, nodeMap | bit, copy);
        }

        private Node nodeToEntry(int bit, int nodeAt, Object[] entry) {
            Object[] copy = new Object[slots.length + 1];
            int at = entryAt(bit);
            System.arraycopy(slots, 0, copy, 0, at);
            copy[at] = entry[0];
            copy[at + 1] = entry[1];
            System.arraycopy(slots, at, copy, at + 2, nodeAt - at);
            System.arraycopy(slots, nodeAt + 1, copy, nodeAt + 2, slots.length - nodeAt - 1);
            return new Node(entryMap | bit, nodeMap & ~bit, copy);
        }

        @Override
        public String toString() {
            return "Node" + Arrays.toString(slots);
        }
    }
}
