package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.message.AmqpValueReader;
import io.mainstem.routing.message.AmqpValueReader.Described;
import io.mainstem.routing.message.MalformedMessageException;
import io.mainstem.routing.message.SectionOffsets;
import io.mainstem.routing.message.SectionScanner;
import java.util.Arrays;
import java.util.List;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction controller asks of the coordinator: declare and discharge (AMQP 1.0 part 4, 4.5), and what the
 * standard has no words for, the second phase of distributed transactions (docs/protocols/amqp-1.0.md).
 */
sealed interface CoordinatorMessage {
    /** More than all of these take. */
    int BYTES_MAX = 64 << 10;

    /** Begin a transaction; with a global id, a branch that this id names. */
    record Declare(byte @Nullable [] globalId) implements CoordinatorMessage {}

    /** End one: commit it, or undo it if {@code fail}. */
    record Discharge(byte[] txnId, boolean fail) implements CoordinatorMessage {}

    /** Prepare the branch that was declared as this transaction. */
    record Prepare(byte[] txnId) implements CoordinatorMessage {}

    /** Decide about a prepared branch; heuristically = in place of its coordinator, who is told. */
    record Decide(byte[] globalId, boolean commit, boolean heuristic) implements CoordinatorMessage {}

    /** Forget a branch that was decided without its coordinator. */
    record Forget(byte[] globalId) implements CoordinatorMessage {}

    /** Tell the prepared branch that comes after this one, or the first. */
    record Recover(byte @Nullable [] after) implements CoordinatorMessage {}

    /**
     * Reads a message of a coordinator link.
     *
     * @param payload all sections
     * @throws AmqpException for the link: the message is malformed or asks for something else
     */
    static CoordinatorMessage of(List<byte[]> payload) {
        long bytes = payload.stream().mapToLong(piece -> piece.length).sum();
        if (bytes > BYTES_MAX) {
            throw refused(AmqpError.RESOURCE_LIMIT_EXCEEDED, bytes + " bytes, more than " + BYTES_MAX);
        }
        try {
            Described request = described(body(payload));
            List<?> fields = request.value() instanceof List<?> list ? list : List.of();
            String descriptor = String.valueOf(request.descriptor());
            switch (descriptor) {
                case "49", "amqp:declare:list" -> {
                    return new Declare(field(fields, 0) instanceof byte[] id ? id : null);
                }
                case "50", "amqp:discharge:list" -> {
                    return new Discharge(binary(fields, "txn-id"), Boolean.TRUE.equals(field(fields, 1)));
                }
                case "mainstem:prepare:list" -> {
                    return new Prepare(binary(fields, "txn-id"));
                }
                case "mainstem:commit:list" -> {
                    return new Decide(binary(fields, "global-id"), true, Boolean.TRUE.equals(field(fields, 1)));
                }
                case "mainstem:rollback:list" -> {
                    return new Decide(binary(fields, "global-id"), false, Boolean.TRUE.equals(field(fields, 1)));
                }
                case "mainstem:forget:list" -> {
                    return new Forget(binary(fields, "global-id"));
                }
                case "mainstem:recover:list" -> {
                    return new Recover(field(fields, 0) instanceof byte[] after ? after : null);
                }
                default -> throw refused(AmqpError.NOT_IMPLEMENTED, "the descriptor " + descriptor);
            }
        } catch (MalformedMessageException malformed) {
            throw refused(AmqpError.DECODE_ERROR, "a malformed message: " + malformed.getMessage());
        }
    }

    private static @Nullable Object body(List<byte[]> payload) {
        SectionOffsets offsets = SectionScanner.scan(payload).offsets();
        if (offsets.bodyKind() != 0x77) {
            throw refused(AmqpError.INVALID_FIELD, "a body that is no amqp-value");
        }
        byte[] all = joined(payload);
        int end = offsets.footer() < 0 ? all.length : offsets.footer();
        Object section = AmqpValueReader.decode(Arrays.copyOfRange(all, offsets.body(), end));
        return section instanceof Described value ? value.value() : null;
    }

    private static Described described(@Nullable Object value) {
        if (value instanceof Described request) {
            return request;
        }
        throw refused(AmqpError.INVALID_FIELD, "a body that is no described list");
    }

    private static byte[] binary(List<?> fields, String name) {
        if (field(fields, 0) instanceof byte[] bytes) {
            return bytes;
        }
        throw refused(AmqpError.INVALID_FIELD, "no " + name);
    }

    private static @Nullable Object field(List<?> fields, int index) {
        return index < fields.size() ? fields.get(index) : null;
    }

    private static byte[] joined(List<byte[]> pieces) {
        int bytes = 0;
        for (byte[] piece : pieces) {
            bytes += piece.length;
        }
        byte[] all = new byte[bytes];
        int at = 0;
        for (byte[] piece : pieces) {
            System.arraycopy(piece, 0, all, at, piece.length);
            at += piece.length;
        }
        return all;
    }

    private static AmqpException refused(Symbol condition, String found) {
        return AmqpException.link(
                condition,
                "MS-0530 message to the coordinator with " + found + " (expected: amqp-value of declare or discharge)");
    }
}
