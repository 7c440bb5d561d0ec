package io.mainstem.conformance;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.qpid.proton.Proton;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.messaging.Data;
import org.apache.qpid.proton.message.Message;

/** Names one message of the crash test, and with it the message's content. */
record MessageId(int producer, long sequence) {
    private static final int SMALL_BYTES_MAX = 1024;
    private static final int LARGE_BYTES = 200 << 10;
    private static final int LARGE_EVERY = 64;
    private static final int OVERHEAD_BYTES_MAX = 256;

    /** The id a message claims to have. */
    static MessageId of(Message message) {
        String[] parts = String.valueOf(message.getMessageId()).split("-", 2);
        return new MessageId(Integer.parseInt(parts[0]), Long.parseLong(parts[1]));
    }

    /** The durable message of this id in its encoded form; the same for the same id and seed. */
    byte[] encode(long seed) {
        Message message = Proton.message();
        message.setDurable(true);
        message.setMessageId(producer + "-" + sequence);
        byte[] body = body(seed);
        message.setBody(new Data(new Binary(body)));
        byte[] buffer = new byte[body.length + OVERHEAD_BYTES_MAX];
        return Arrays.copyOf(buffer, message.encode(buffer, 0, buffer.length));
    }

    /** True if the message carries just what {@link #encode} put in. */
    boolean isContentOf(Message message, long seed) {
        if (!(message.getBody() instanceof Data data)) {
            return false;
        }
        Binary binary = data.getValue();
        byte[] expected = body(seed);
        int from = binary.getArrayOffset();
        return Arrays.equals(binary.getArray(), from, from + binary.getLength(), expected, 0, expected.length);
    }

    private byte[] body(long seed) {
        SplittableRandom random = new SplittableRandom(seed + producer * 1_000_003L + sequence * 31L);
        boolean large = random.nextInt(LARGE_EVERY) == 0;
        byte[] body = new byte[large ? LARGE_BYTES : random.nextInt(SMALL_BYTES_MAX)];
        random.nextBytes(body);
        return body;
    }
}
