package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Open;

/** What opens say of a connection that wants to be the only one of its container. Pure; thread: any. */
final class SoleConnection {
    private static final Symbol ENFORCEMENT_POLICY = Symbol.valueOf("sole-connection-enforcement-policy");
    private static final Symbol DETECTION_POLICY = Symbol.valueOf("sole-connection-detection-policy");
    private static final Symbol ENFORCEMENT = Symbol.valueOf("sole-connection-enforcement");
    private static final UnsignedInteger CLOSE_EXISTING = UnsignedInteger.ONE;
    private static final UnsignedInteger STRONG = UnsignedInteger.ZERO;

    private SoleConnection() {}

    /** @throws AmqpException for the connection, if the policy is of the wrong type or unknown */
    static ContainerIds.Enforcement enforcement(Open open) {
        Map<?, ?> properties = open.getProperties();
        Object asked = properties == null ? null : properties.get(ENFORCEMENT_POLICY);
        if (asked == null || UnsignedInteger.ZERO.equals(asked)) {
            return ContainerIds.Enforcement.REFUSE_CONNECTION;
        }
        if (CLOSE_EXISTING.equals(asked)) {
            return ContainerIds.Enforcement.CLOSE_EXISTING;
        }
        throw AmqpException.connection(
                AmqpError.INVALID_FIELD,
                "MS-0501 open property " + ENFORCEMENT_POLICY + " (expected: uint 0, refuse, or 1, close existing) fix:"
                        + " correct it");
    }

    /** Says in our open what is in force. */
    static void grant(Open answer, ContainerIds.Enforcement enforcement) {
        Map<Symbol, Object> properties = new HashMap<>();
        Map<?, ?> before = answer.getProperties();
        before.forEach((key, value) -> properties.put((Symbol) key, value));
        properties.put(DETECTION_POLICY, STRONG);
        if (enforcement == ContainerIds.Enforcement.CLOSE_EXISTING) {
            properties.put(ENFORCEMENT_POLICY, CLOSE_EXISTING);
        }
        answer.setProperties(properties);
    }

    /** Why a connection goes in favour of another one. */
    static AmqpException closed() {
        return AmqpException.connection(
                AmqpError.RESOURCE_LOCKED,
                "MS-0509 another connection of the same container-id wants to be the only one fix: nothing, if that is"
                        + " the same client; else use another id",
                Map.of(ENFORCEMENT, true));
    }
}
