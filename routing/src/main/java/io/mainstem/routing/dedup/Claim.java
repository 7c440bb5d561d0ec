package io.mainstem.routing.dedup;

import io.mainstem.store.MetaChange;
import io.mainstem.store.MetaMark;
import java.util.ArrayList;
import java.util.List;

/**
 * A publish id that is new, from the moment it was asked for until the message is on disk or is not: meanwhile a second
 * publish with it waits. Exactly one of {@link #stored} and {@link #failed} ends it. Thread: shard.
 */
public final class Claim {
    private final Window window;
    private final String key;
    private final MetaMark mark;
    private final List<String> forgotten;
    private List<Runnable> waiting = List.of();

    Claim(Window window, String key, MetaMark mark, List<String> forgotten) {
        this.window = window;
        this.key = key;
        this.mark = mark;
        this.forgotten = forgotten;
    }

    /** What goes into the group of the message. */
    public MetaMark mark() {
        return mark;
    }

    /** What is forgotten with it, for the same group, in front of the mark. */
    public List<MetaChange> forgotten() {
        return forgotten.stream().map(each -> new MetaChange(each, null)).toList();
    }

    /** To be called on the shard as soon as this has ended. */
    public void whenEnded(Runnable again) {
        if (waiting.isEmpty()) {
            waiting = new ArrayList<>(1);
        }
        waiting.add(again);
    }

    /** The group is on disk. */
    public void stored() {
        window.stored(key, mark);
        end();
    }

    /** Nothing of the group is on disk, or nothing more will ever be. */
    public void failed() {
        window.failed(key, forgotten);
        end();
    }

    private void end() {
        List<Runnable> woken = waiting;
        waiting = List.of();
        woken.forEach(Runnable::run);
    }
}
