package io.mainstem.routing.topology;

import io.mainstem.routing.ExchangeSpec;
import io.mainstem.store.MetaChange;

/** One decided step from a topology to the next. Immutable. */
sealed interface TopologyChange {
    /** True if it is to be logged. */
    boolean durable();

    TopologyState applyTo(TopologyState state);

    /** The step as it is logged. */
    MetaChange toMeta(MetaKeys keys);

    record AddQueue(QueueTarget queue) implements TopologyChange {
        @Override
        public boolean durable() {
            return queue.durable();
        }

        @Override
        public TopologyState applyTo(TopologyState state) {
            return state.withQueue(queue);
        }

        @Override
        public MetaChange toMeta(MetaKeys keys) {
            return new MetaChange(keys.queue(queue.name()), SpecCodec.encode(queue.queueId(), queue.spec()));
        }
    }

    record RemoveQueue(String name, boolean durable) implements TopologyChange {
        @Override
        public TopologyState applyTo(TopologyState state) {
            return state.withoutQueue(name);
        }

        @Override
        public MetaChange toMeta(MetaKeys keys) {
            return new MetaChange(keys.queue(name), null);
        }
    }

    record AddExchange(ExchangeSpec spec) implements TopologyChange {
        @Override
        public boolean durable() {
            return spec.durable();
        }

        @Override
        public TopologyState applyTo(TopologyState state) {
            return state.withExchange(spec);
        }

        @Override
        public MetaChange toMeta(MetaKeys keys) {
            return new MetaChange(keys.exchange(spec.name()), SpecCodec.encode(spec));
        }
    }

    record RemoveExchange(String name, boolean durable) implements TopologyChange {
        @Override
        public TopologyState applyTo(TopologyState state) {
            return state.withoutExchange(name);
        }

        @Override
        public MetaChange toMeta(MetaKeys keys) {
            return new MetaChange(keys.exchange(name), null);
        }
    }

    record AddBinding(Binding binding) implements TopologyChange {
        @Override
        public boolean durable() {
            return binding.durable();
        }

        @Override
        public TopologyState applyTo(TopologyState state) {
            return state.withBinding(binding);
        }

        @Override
        public MetaChange toMeta(MetaKeys keys) {
            return new MetaChange(keys.binding(binding.id()), SpecCodec.encode(binding.spec()));
        }
    }

    /** In memory only: what the limits of users are counted by. */
    record MadeBy(Object thing, Makers.Share share) implements TopologyChange {
        @Override
        public boolean durable() {
            return false;
        }

        @Override
        public TopologyState applyTo(TopologyState state) {
            return state.madeBy(thing, share);
        }

        @Override
        public MetaChange toMeta(MetaKeys keys) {
            throw new IllegalStateException("not for the log");
        }
    }

    record RemoveBinding(BindingId id, boolean durable) implements TopologyChange {
        @Override
        public TopologyState applyTo(TopologyState state) {
            return state.withoutBinding(id);
        }

        @Override
        public MetaChange toMeta(MetaKeys keys) {
            return new MetaChange(keys.binding(id), null);
        }
    }
}
