package io.mainstem.store;

import io.mainstem.store.codec.BytesReader;
import io.mainstem.store.codec.BytesWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Bodies of PURGE, META and DEDUP; the layouts are drawn at {@link Frames}. */
final class QueueCodec {
    private static final int KEY_BYTES_MAX = 4096;

    private QueueCodec() {}

    static byte[] encodePurge(int queueId, boolean dropQueue) {
        return new BytesWriter(16)
                .u8(RecordBody.VERSION)
                .varint(queueId)
                .u8(dropQueue ? 1 : 0)
                .toBytes();
    }

    static RecordBody.Purge purge(BytesReader in) {
        int queueId = (int) in.varint(Integer.MAX_VALUE);
        int drop = in.u8();
        if (queueId < 1 || drop > 1) {
            throw in.malformed("purge of queue " + queueId + " with drop " + drop);
        }
        in.expectEnd();
        return new RecordBody.Purge(queueId, drop == 1);
    }

    static byte[] encodeMeta(List<MetaChange> changes) {
        BytesWriter out = new BytesWriter(256);
        out.u8(RecordBody.VERSION).varint(changes.size());
        for (MetaChange change : changes) {
            out.block(checkedKey(change.key()));
            byte[] value = change.value();
            if (value == null) {
                out.varint(0);
            } else {
                out.varint(value.length + 1L).raw(value);
            }
        }
        return out.toBytes();
    }

    static RecordBody.Meta meta(BytesReader in) {
        int count = in.count(3);
        List<MetaChange> changes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String key = key(in);
            int coded = (int) in.varint(in.remaining());
            changes.add(new MetaChange(key, coded == 0 ? null : in.raw(coded - 1)));
        }
        in.expectEnd();
        return new RecordBody.Meta(changes);
    }

    static byte[] encodeMarks(List<MetaMark> marks) {
        BytesWriter out = new BytesWriter(64);
        out.u8(RecordBody.VERSION).varint(marks.size());
        for (MetaMark mark : marks) {
            out.block(checkedKey(mark.key())).varint(mark.bit()).varint(mark.atMs());
        }
        return out.toBytes();
    }

    static RecordBody.Dedup marks(BytesReader in) {
        int count = in.count(4);
        List<MetaMark> marks = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String key = key(in);
            int bit = (int) in.varint(MetaMark.BIT_MAX);
            marks.add(new MetaMark(key, bit, in.varint(Long.MAX_VALUE)));
        }
        in.expectEnd();
        return new RecordBody.Dedup(marks);
    }

    private static byte[] checkedKey(String text) {
        byte[] key = text.getBytes(StandardCharsets.UTF_8);
        if (key.length < 1 || key.length > KEY_BYTES_MAX) {
            throw new IllegalArgumentException("key: " + key.length + " bytes (expected: 1 to " + KEY_BYTES_MAX + ")");
        }
        return key;
    }

    private static String key(BytesReader in) {
        byte[] key = in.block();
        if (key.length < 1 || key.length > KEY_BYTES_MAX) {
            throw in.malformed("key of " + key.length + " bytes");
        }
        return utf8(in, key);
    }

    private static String utf8(BytesReader in, byte[] key) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(key))
                    .toString();
        } catch (CharacterCodingException e) {
            throw in.malformed("key that is not UTF-8 (" + e.getMessage() + ")");
        }
    }
}
