package io.mainstem.store.segment;

import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.RecordType;
import io.mainstem.store.StoreState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A group with a number, whose bodies follow from that number. */
final class TestGroup extends RecordGroup {
    final long number;

    TestGroup(long number, List<Frame> frames, Durability durability) {
        super(frames, durability);
        this.number = number;
    }

    static TestGroup message(long number, int bytes, Durability durability) {
        return new TestGroup(number, List.of(frame(RecordType.MSG, number, 0, bytes)), durability);
    }

    static TestGroup settle(long number, Durability durability) {
        return new TestGroup(number, List.of(frame(RecordType.SETTLE, number, 0, 24)), durability);
    }

    /** Several frames of types and sizes that follow from the number. */
    static TestGroup mixed(long number, int bytesMax, Durability durability) {
        SplittableRandom random = new SplittableRandom(number);
        List<Frame> frames = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(4); i++) {
            RecordType type = random.nextBoolean() ? RecordType.MSG : RecordType.META;
            int max = type == RecordType.MSG ? bytesMax : Math.min(bytesMax, 2000);
            frames.add(frame(type, number, i, 16 + random.nextInt(max)));
        }
        return new TestGroup(number, frames, durability);
    }

    private static Frame frame(RecordType type, long number, int index, int bytes) {
        byte[] head = ByteBuffer.allocate(16).putLong(number).putLong(index).array();
        byte[] rest = new byte[bytes];
        ByteBuffer words = ByteBuffer.wrap(rest);
        for (long word = number * 31 + index; words.remaining() >= Long.BYTES; word += 0x9e3779b97f4a7c15L) {
            words.putLong(word);
        }
        return new Frame(type, 0, List.of(head, rest));
    }

    /** The number a record's body begins with (its piece 0). */
    static long numberOf(byte[] body, int at) {
        return ByteBuffer.wrap(body).getLong(at);
    }

    /** The whole body of a frame. */
    static byte[] bodyOf(Frame frame) {
        ByteBuffer body = ByteBuffer.allocate((int) frame.bodyBytes());
        frame.body().forEach(body::put);
        return body.array();
    }

    @Override
    public void onApplied() {
        // The tests look at what drain hands over.
    }

    @Override
    public void onFailed(StoreState why) {
        // As above.
    }
}
