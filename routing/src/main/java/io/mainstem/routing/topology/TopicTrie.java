package io.mainstem.routing.topology;

import io.mainstem.routing.TemporaryNames;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Topic bindings by the words of their keys [A-1]. Immutable: a change copies the nodes on its path only.
 *
 * <p>Matching a key of n words takes at most one pass over the words per trie node, also with several {@code #} in a
 * binding key. Thread: any.
 */
final class TopicTrie {
    static final TopicTrie EMPTY = new TopicTrie(Node.EMPTY);

    private final Node root;

    private TopicTrie(Node root) {
        this.root = root;
    }

    TopicTrie with(Binding binding) {
        return new TopicTrie(root.with(words(binding.spec().key()), 0, binding));
    }

    TopicTrie without(Binding binding) {
        Node rest = root.without(words(binding.spec().key()), 0, binding);
        return rest.isEmpty() ? EMPTY : new TopicTrie(rest);
    }

    /**
     * Hands over every binding whose key matches; some may come twice. A wildcard never stands for {@value TopicNames#BROKER}, nor for
     * anything of a temporary topic's key: that is known to those only who were told.
     */
    void match(String key, Consumer<Binding> matched) {
        String[] words = words(key);
        Match match = new Match(words, matched);
        if (TemporaryNames.isTopic(key)) {
            match.literally(root);
        } else if (words.length > 0 && words[0].equals(TopicNames.BROKER)) {
            Node literal = root.literals().get(TopicNames.BROKER);
            if (literal != null) {
                match.at(literal, 1, false);
            }
        } else {
            match.at(root, 0, false);
        }
    }

    void forEach(Consumer<Binding> action) {
        root.forEach(action);
    }

    /** Words between dots; the empty key has none. */
    static String[] words(String key) {
        if (key.isEmpty()) {
            return new String[0];
        }
        List<String> words = new ArrayList<>();
        int from = 0;
        for (int dot = key.indexOf('.'); dot >= 0; dot = key.indexOf('.', from)) {
            words.add(key.substring(from, dot));
            from = dot + 1;
        }
        words.add(key.substring(from));
        return words.toArray(String[]::new);
    }

    /**
     * @param literals by word
     * @param one below {@code *}
     * @param many below {@code #}
     * @param bindings whose key ends here
     */
    private record Node(
            PersistentMap<String, Node> literals,
            @Nullable Node one,
            @Nullable Node many,
            PersistentMap<BindingId, Binding> bindings) {
        static final Node EMPTY = new Node(PersistentMap.empty(), null, null, PersistentMap.empty());

        boolean isEmpty() {
            return !hasChildren() && bindings.isEmpty();
        }

        boolean hasChildren() {
            return one != null || many != null || !literals.isEmpty();
        }

        Node with(String[] words, int at, Binding binding) {
            if (at == words.length) {
                return new Node(literals, one, many, bindings.with(binding.id(), binding));
            }
            Node child = child(words[at]);
            return withChild(words[at], (child == null ? EMPTY : child).with(words, at + 1, binding));
        }

        Node without(String[] words, int at, Binding binding) {
            if (at == words.length) {
                return new Node(literals, one, many, bindings.without(binding.id()));
            }
            Node child = child(words[at]);
            return child == null ? this : withChild(words[at], child.without(words, at + 1, binding));
        }

        void forEach(Consumer<Binding> action) {
            bindings.forEach((id, binding) -> action.accept(binding));
            literals.forEach((word, node) -> node.forEach(action));
            if (one != null) {
                one.forEach(action);
            }
            if (many != null) {
                many.forEach(action);
            }
        }

        private @Nullable Node child(String word) {
            return switch (word) {
                case "*" -> one;
                case "#" -> many;
                default -> literals.get(word);
            };
        }

        private Node withChild(String word, Node child) {
            @Nullable Node kept = child.isEmpty() ? null : child;
            return switch (word) {
                case "*" -> new Node(literals, kept, many, bindings);
                case "#" -> new Node(literals, one, kept, bindings);
                default ->
                    new Node(kept == null ? literals.without(word) : literals.with(word, kept), one, many, bindings);
            };
        }
    }

    /** One key on its way through the trie. */
    private static final class Match {
        private final String[] words;
        private final Consumer<Binding> matched;
        /** For nodes below more than one {@code #}: the first word from which they have been tried already. */
        private final IdentityHashMap<Node, Integer> tried = new IdentityHashMap<>(0);

        private Match(String[] words, Consumer<Binding> matched) {
            this.words = words;
            this.matched = matched;
        }

        private void literally(Node root) {
            @Nullable Node node = root;
            for (int word = 0; word < words.length && node != null; word++) {
                node = node.literals().get(words[word]);
            }
            if (node != null) {
                take(node);
            }
        }

        private void at(Node node, int word, boolean belowMany) {
            if (word == words.length) {
                take(node);
            }
            children(node, word, belowMany);
        }

        private void children(Node node, int word, boolean belowMany) {
            Node many = node.many();
            if (many != null) {
                many(many, word, belowMany);
            }
            if (word == words.length) {
                return;
            }
            Node literal = node.literals().get(words[word]);
            if (literal != null) {
                at(literal, word + 1, belowMany);
            }
            Node one = node.one();
            if (one != null) {
                at(one, word + 1, belowMany);
            }
        }

        /** A {@code #} may end before any word from {@code from} on, or after the last. */
        private void many(Node node, int from, boolean belowMany) {
            int to = words.length;
            if (belowMany) {
                Integer before = tried.get(node);
                if (before != null && before <= from) {
                    return;
                }
                to = before == null ? to : before - 1;
                tried.put(node, from);
                if (before == null) {
                    take(node);
                }
            } else {
                take(node);
            }
            if (node.hasChildren()) {
                for (int word = from; word <= to; word++) {
                    children(node, word, true);
                }
            }
        }

        private void take(Node node) {
            node.bindings().forEach((id, binding) -> matched.accept(binding));
        }
    }
}
