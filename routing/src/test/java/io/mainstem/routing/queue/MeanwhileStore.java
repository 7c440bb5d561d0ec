package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import io.mainstem.store.Durability;
import io.mainstem.store.Frames;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreState;
import io.mainstem.store.shard.SteppedStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;

/** A real store, and what other threads do while one of them gives it a group. Thread: one. */
final class MeanwhileStore {
    private final SteppedStore stepped;
    private Runnable meanwhile = () -> {};

    MeanwhileStore(SteppedStore stepped) {
        this.stepped = stepped;
        stepped.store().attach(() -> {});
    }

    /** The store as the one sees it that is to be interrupted. */
    ShardStore store() {
        return (ShardStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ShardStore.class}, (proxy, method, args) -> {
                    Runnable once = method.getName().equals("submit") ? meanwhile : () -> {};
                    if (method.getName().equals("submit")) {
                        meanwhile = () -> {};
                    }
                    once.run();
                    try {
                        return method.invoke(stepped.store(), args);
                    } catch (InvocationTargetException e) {
                        throw Objects.requireNonNull(e.getCause());
                    }
                });
    }

    /** Others do this when the next group is submitted. */
    void onNextSubmit(Runnable what) {
        meanwhile = what;
    }

    /** A whole publish, until it is folded. */
    void publish(RetainedMessages retained, Message message) {
        RetainedChange change = Objects.requireNonNull(retained.begin(message));
        stepped.store().submit(new Publish(change));
        settle();
    }

    /** All that was submitted is folded. */
    void settle() {
        boolean more = true;
        while (more) {
            more = stepped.settleLog();
            more |= stepped.store().poll(100) > 0;
        }
    }

    private static final class Publish extends RecordGroup {
        private final RetainedChange change;

        Publish(RetainedChange change) {
            super(List.of(Frames.meta(List.of(change.meta()))), Durability.SYNC);
            this.change = change;
        }

        @Override
        public void onApplied() {
            change.applied();
        }

        @Override
        public void onFailed(StoreState why) {
            throw new AssertionError(why.toString());
        }
    }
}
