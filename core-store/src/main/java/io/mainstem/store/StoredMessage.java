package io.mainstem.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message as read back from the log.
 *
 * @param lsn of its MSG record
 * @param head the opaque head the publisher stored (routing's envelope)
 * @param payload the payload in pieces; read-only by contract
 * @param overrides of the MSG_REF through which it was reached, or null
 * @param expiry as its MSG record says
 * @param delay what it waits or has waited for, or null
 */
public record StoredMessage(
        long lsn,
        byte[] head,
        List<byte[]> payload,
        byte @Nullable [] overrides,
        ExpiryTimes expiry,
        @Nullable Delay delay) {}
