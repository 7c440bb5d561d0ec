package io.mainstem.routing.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An immutable sorted set, for lists that come in pages: a page costs its length and one way down the tree. A tree balanced by
 * weight (Adams, 1992); a change copies one way down. 32 bytes a key beside the key. Thread: any.
 */
final class SortedKeys<K extends Comparable<? super K>> {
    /** A side has at most so many times the keys of the other. */
    private static final int WEIGHT_RATIO = 3;
    /** What leans further than that is turned once, else twice. */
    private static final int TURN_RATIO = 2;

    private final @Nullable Node<K> root;

    private SortedKeys(@Nullable Node<K> root) {
        this.root = root;
    }

    static <K extends Comparable<? super K>> SortedKeys<K> empty() {
        return new SortedKeys<>(null);
    }

    SortedKeys<K> with(K key) {
        Node<K> changed = put(root, key);
        return changed == root ? this : new SortedKeys<>(changed);
    }

    SortedKeys<K> without(K key) {
        Node<K> changed = remove(root, key);
        return changed == root ? this : new SortedKeys<>(changed);
    }

    /**
     * The first keys that are wanted, at most {@code limit}, at least 1.
     *
     * @param wanted false for keys up to some place, then true
     */
    List<K> page(Predicate<? super K> wanted, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit: " + limit + " (expected: at least 1)");
        }
        List<K> page = new ArrayList<>();
        collect(root, wanted, limit, page);
        return page;
    }

    private static <K extends Comparable<? super K>> void collect(
            @Nullable Node<K> node, Predicate<? super K> wanted, int limit, List<K> into) {
        if (node == null || into.size() >= limit) {
            return;
        }
        boolean taken = wanted.test(node.key);
        if (taken) {
            collect(node.left, wanted, limit, into);
            if (into.size() < limit) {
                into.add(node.key);
            }
        }
        // All that is right of what is wanted is wanted, too.
        collect(node.right, taken ? key -> true : wanted, limit, into);
    }

    private static <K extends Comparable<? super K>> Node<K> put(@Nullable Node<K> node, K key) {
        if (node == null) {
            return new Node<>(null, key, null);
        }
        int order = key.compareTo(node.key);
        if (order == 0) {
            return node;
        }
        Node<K> child = order < 0 ? node.left : node.right;
        Node<K> changed = put(child, key);
        if (changed == child) {
            return node;
        }
        return order < 0 ? balanced(changed, node.key, node.right) : balanced(node.left, node.key, changed);
    }

    private static <K extends Comparable<? super K>> @Nullable Node<K> remove(@Nullable Node<K> node, K key) {
        if (node == null) {
            return null;
        }
        int order = key.compareTo(node.key);
        if (order == 0) {
            return joined(node.left, node.right);
        }
        Node<K> child = order < 0 ? node.left : node.right;
        Node<K> changed = remove(child, key);
        if (changed == child) {
            return node;
        }
        return order < 0 ? balanced(changed, node.key, node.right) : balanced(node.left, node.key, changed);
    }

    private static <K extends Comparable<? super K>> @Nullable Node<K> joined(
            @Nullable Node<K> left, @Nullable Node<K> right) {
        if (left == null || right == null) {
            return left == null ? right : left;
        }
        if (left.size > right.size) {
            Node<K> last = left;
            for (Node<K> next = last.right; next != null; next = last.right) {
                last = next;
            }
            return balanced(remove(left, last.key), last.key, right);
        }
        Node<K> first = right;
        for (Node<K> next = first.left; next != null; next = first.left) {
            first = next;
        }
        return balanced(left, first.key, remove(right, first.key));
    }

    private static <K extends Comparable<? super K>> Node<K> balanced(
            @Nullable Node<K> left, K key, @Nullable Node<K> right) {
        if (right != null && weight(right) > WEIGHT_RATIO * weight(left)) {
            Node<K> inner = right.left;
            if (inner == null || weight(inner) < TURN_RATIO * weight(right.right)) {
                return new Node<>(new Node<>(left, key, inner), right.key, right.right);
            }
            return new Node<>(
                    new Node<>(left, key, inner.left), inner.key, new Node<>(inner.right, right.key, right.right));
        }
        if (left != null && weight(left) > WEIGHT_RATIO * weight(right)) {
            Node<K> inner = left.right;
            if (inner == null || weight(inner) < TURN_RATIO * weight(left.left)) {
                return new Node<>(left.left, left.key, new Node<>(inner, key, right));
            }
            return new Node<>(
                    new Node<>(left.left, left.key, inner.left), inner.key, new Node<>(inner.right, key, right));
        }
        return new Node<>(left, key, right);
    }

    private static int weight(@Nullable Node<?> node) {
        return node == null ? 1 : node.size + 1;
    }

    private static final class Node<K extends Comparable<? super K>> {
        private final @Nullable Node<K> left;
        private final K key;
        private final @Nullable Node<K> right;
        private final int size;

        Node(@Nullable Node<K> left, K key, @Nullable Node<K> right) {
            this.left = left;
            this.key = key;
            this.right = right;
            this.size = 1 + (left == null ? 0 : left.size) + (right == null ? 0 : right.size);
        }
    }
}
