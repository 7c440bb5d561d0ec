package io.mainstem.routing.dedup;

import io.mainstem.store.MetaChange;
import io.mainstem.store.MetaMark;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A publish id that is new, from the moment it was asked for until the message is on disk or is not: meanwhile a second
 * publish with it waits. Exactly one of {@link #stored} and {@link #failed} ends it. Thread: shard.
 */
public final class Claim {
    private final Window window;
    private final MetaMark mark;
    private final int deletesMax;
    private @Nullable List<String> forgotten;
    private List<Runnable> waiting = List.of();

    Claim(Window window, MetaMark mark, int deletesMax) {
        this.window = window;
        this.mark = mark;
        this.deletesMax = deletesMax;
    }

    /** What goes into the group of the message. */
    public MetaMark mark() {
        return mark;
    }

    /**
     * What is forgotten with it, for the same group, in front of all of its marks. To be asked for when the group is built and goes
     * to the log at once: what is published again behind it is marked again behind it.
     */
    public List<MetaChange> forgotten() {
        List<String> taken = forgotten;
        if (taken == null) {
            taken = window.takeForgotten(deletesMax);
            forgotten = taken;
        }
        return taken.stream().map(each -> new MetaChange(each, null)).toList();
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
        window.stored(mark);
        end();
    }

    /** Nothing of the group is on disk, or nothing more will ever be. */
    public void failed() {
        window.failed(mark, forgotten == null ? List.of() : forgotten);
        end();
    }

    private void end() {
        List<Runnable> woken = waiting;
        waiting = List.of();
        woken.forEach(Runnable::run);
    }
}
