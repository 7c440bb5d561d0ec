package io.mainstem.routing.topology;

import io.mainstem.routing.ExchangeType;
import java.util.function.Consumer;

/** The bindings of one exchange, arranged for its way of comparing. Immutable. */
sealed interface BindingTable permits BindingTable.Direct, BindingTable.Fanout, BindingTable.Topic, HeadersTable {
    BindingTable with(Binding binding);

    BindingTable without(Binding binding);

    /** Hands over every binding that matches; some may come twice. */
    void match(String key, Headers headers, Consumer<Binding> matched);

    /** Hands over every binding; some may come twice. */
    void forEach(Consumer<Binding> action);

    /** True if the result may depend on more than the key. */
    default boolean readsHeaders() {
        return false;
    }

    static BindingTable of(ExchangeType type) {
        return switch (type) {
            case DIRECT -> new Direct(PersistentMap.empty());
            case FANOUT -> new Fanout(PersistentMap.empty());
            case TOPIC -> new Topic(TopicTrie.EMPTY);
            case HEADERS -> HeadersTable.EMPTY;
        };
    }

    /** Keys are equal. */
    record Direct(PersistentMap<String, PersistentMap<BindingId, Binding>> byKey) implements BindingTable {
        @Override
        public BindingTable with(Binding binding) {
            return new Direct(byKey.with(binding.spec().key(), at(binding).with(binding.id(), binding)));
        }

        @Override
        public BindingTable without(Binding binding) {
            PersistentMap<BindingId, Binding> rest = at(binding).without(binding.id());
            String key = binding.spec().key();
            return new Direct(rest.isEmpty() ? byKey.without(key) : byKey.with(key, rest));
        }

        @Override
        public void match(String key, Headers headers, Consumer<Binding> matched) {
            PersistentMap<BindingId, Binding> bindings = byKey.get(key);
            if (bindings != null) {
                bindings.forEach((id, binding) -> matched.accept(binding));
            }
        }

        @Override
        public void forEach(Consumer<Binding> action) {
            byKey.forEach((key, bindings) -> bindings.forEach((id, binding) -> action.accept(binding)));
        }

        private PersistentMap<BindingId, Binding> at(Binding binding) {
            PersistentMap<BindingId, Binding> bindings =
                    byKey.get(binding.spec().key());
            return bindings == null ? PersistentMap.empty() : bindings;
        }
    }

    /** Every binding matches. */
    record Fanout(PersistentMap<BindingId, Binding> bindings) implements BindingTable {
        @Override
        public BindingTable with(Binding binding) {
            return new Fanout(bindings.with(binding.id(), binding));
        }

        @Override
        public BindingTable without(Binding binding) {
            return new Fanout(bindings.without(binding.id()));
        }

        @Override
        public void match(String key, Headers headers, Consumer<Binding> matched) {
            forEach(matched);
        }

        @Override
        public void forEach(Consumer<Binding> action) {
            bindings.forEach((id, binding) -> action.accept(binding));
        }
    }

    /** Words and wildcards. */
    record Topic(TopicTrie trie) implements BindingTable {
        @Override
        public BindingTable with(Binding binding) {
            return new Topic(trie.with(binding));
        }

        @Override
        public BindingTable without(Binding binding) {
            return new Topic(trie.without(binding));
        }

        @Override
        public void match(String key, Headers headers, Consumer<Binding> matched) {
            trie.match(key, matched);
        }

        @Override
        public void forEach(Consumer<Binding> action) {
            trie.forEach(action);
        }
    }
}
