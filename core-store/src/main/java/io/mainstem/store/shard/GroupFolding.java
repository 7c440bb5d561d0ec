package io.mainstem.store.shard;

import io.mainstem.store.Frame;
import io.mainstem.store.RecordGroup;
import java.io.Serial;
import java.util.List;

/** The records of one group on their way into lanes and metadata. Thread: shard. */
final class GroupFolding implements RecordGroup.Folding {
    /** Before others than the log have their turn. */
    private static final int FRAMES_AT_A_TIME = 1024;

    private final Fold fold;
    private final List<Frame> frames;
    private int folded;

    GroupFolding(Fold fold, List<Frame> frames) {
        this.fold = fold;
        this.frames = frames;
    }

    @Override
    public void next() {
        fold(1);
    }

    @Override
    public boolean some() {
        fold(Math.min(frames.size() - folded, FRAMES_AT_A_TIME));
        return folded == frames.size();
    }

    /** The group says that it is applied. */
    void requireAll() {
        if (folded < frames.size()) {
            throw new UnfoldableException(
                    new IllegalStateException("applied with " + folded + " of " + frames.size() + " records"));
        }
    }

    private void fold(int count) {
        try {
            fold.live(frames.subList(folded, folded + count));
        } catch (RuntimeException e) {
            throw new UnfoldableException(e);
        }
        folded += count;
    }

    /** Records cannot be folded: not what the group does in memory has failed, but the store. */
    static final class UnfoldableException extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1L;

        private final RuntimeException why;

        UnfoldableException(RuntimeException why) {
            super(why);
            this.why = why;
        }

        RuntimeException why() {
            return why;
        }
    }
}
