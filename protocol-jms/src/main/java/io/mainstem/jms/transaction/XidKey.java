package io.mainstem.jms.transaction;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import javax.transaction.xa.Xid;
import org.jspecify.annotations.Nullable;

/**
 * An xid by value, and as the broker's {@code global-id}: format id (4 bytes, big-endian), length of the global part (1
 * byte), global part, branch part (docs/protocols/amqp-1.0.md). Thread: any, immutable.
 */
record XidKey(ByteBuffer bytes) implements Xid {
    private static final int HEAD_BYTES = Integer.BYTES + 1;

    static XidKey of(Xid xid) {
        byte[] global = xid.getGlobalTransactionId();
        byte[] branch = xid.getBranchQualifier();
        return new XidKey(ByteBuffer.allocate(HEAD_BYTES + global.length + branch.length)
                .putInt(xid.getFormatId())
                .put((byte) global.length)
                .put(global)
                .put(branch)
                .flip());
    }

    /** Null if these bytes are the id of something that is no XA branch. */
    static @Nullable XidKey ofGlobalId(byte[] globalId) {
        boolean xid = globalId.length > HEAD_BYTES
                && globalId.length <= HEAD_BYTES + MAXGTRIDSIZE + MAXBQUALSIZE
                && globalId[Integer.BYTES] > 0
                && globalId[Integer.BYTES] <= Math.min(MAXGTRIDSIZE, globalId.length - HEAD_BYTES);
        return xid ? new XidKey(ByteBuffer.wrap(globalId.clone())) : null;
    }

    byte[] globalId() {
        return part(0, bytes.limit());
    }

    @Override
    public int getFormatId() {
        return bytes.getInt(0);
    }

    @Override
    public byte[] getGlobalTransactionId() {
        return part(HEAD_BYTES, HEAD_BYTES + bytes.get(Integer.BYTES));
    }

    @Override
    public byte[] getBranchQualifier() {
        return part(HEAD_BYTES + bytes.get(Integer.BYTES), bytes.limit());
    }

    private byte[] part(int from, int to) {
        byte[] part = new byte[to - from];
        bytes.get(from, part);
        return part;
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(globalId());
    }
}
