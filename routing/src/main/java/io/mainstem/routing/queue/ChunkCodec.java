package io.mainstem.routing.queue;

import io.mainstem.routing.message.EnvelopeCodec;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.queue.TransientChunk.Contents;
import io.mainstem.store.spool.SpoolInput;
import io.mainstem.store.spool.SpoolOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages as they lie in the spool: a count, then for each its slot, when it expires, its envelope and its sections, the
 * latter two with their lengths. Thread: the spool's.
 */
final class ChunkCodec {
    private ChunkCodec() {}

    static void write(Contents contents, SpoolOutput out) throws IOException {
        out.putInt(contents.slots().length);
        for (int at = 0; at < contents.slots().length; at++) {
            Message message = contents.messages().get(at);
            out.putInt(contents.slots()[at]);
            out.putLong(contents.expireAtMs()[at]);
            byte[] envelope = EnvelopeCodec.encode(message.envelope());
            out.putInt(envelope.length);
            out.put(envelope);
            out.putInt(message.sections().size());
            for (byte[] piece : message.sections()) {
                out.putInt(piece.length);
                out.put(piece);
            }
        }
    }

    static Contents read(SpoolInput in) throws IOException {
        int count = bounded("messages", in.getInt(), TransientChunk.SLOTS_MAX);
        int[] slots = new int[count];
        long[] expireAtMs = new long[count];
        List<Message> messages = new ArrayList<>(count);
        for (int at = 0; at < count; at++) {
            slots[at] = bounded("slot", in.getInt(), TransientChunk.SLOTS_MAX - 1);
            expireAtMs[at] = in.getLong();
            byte[] envelope = in.get(in.getInt());
            int pieces = in.getInt();
            List<byte[]> sections = new ArrayList<>(1);
            for (int piece = 0; piece < pieces; piece++) {
                sections.add(in.get(in.getInt()));
            }
            messages.add(new Message(EnvelopeCodec.decode(envelope), sections));
        }
        return new Contents(slots, expireAtMs, messages);
    }

    private static int bounded(String what, int value, int max) throws IOException {
        if (value < 0 || value > max) {
            throw new IOException(what + ": " + value + " in a spooled block (expected: 0 to " + max + ")");
        }
        return value;
    }
}
