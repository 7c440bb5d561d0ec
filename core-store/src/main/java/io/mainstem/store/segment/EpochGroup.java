package io.mainstem.store.segment;

import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.RecordType;
import io.mainstem.store.StoreState;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** The EPOCH record with which every opening begins; its body is the epoch again, u32. Never seen by the applier. */
final class EpochGroup extends RecordGroup {
    EpochGroup(int epoch) {
        super(List.of(new Frame(RecordType.EPOCH, 0, List.of(body(epoch)))), Durability.SYNC);
    }

    private static byte[] body(int epoch) {
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(epoch)
                .array();
    }

    @Override
    public void onApplied() {
        throw new IllegalStateException("EPOCH records are not applied");
    }

    @Override
    public void onFailed(StoreState why) {
        throw new IllegalStateException("EPOCH records are not applied");
    }

    /** Notes in {@code durable[0]} whether the group got through. */
    record Check(boolean[] durable) implements CommitLog.DrainedGroups {
        @Override
        public void durable(RecordGroup group) {
            durable[0] = true;
        }

        @Override
        public void failed(RecordGroup group, StoreState why) {
            durable[0] = false;
        }
    }
}
