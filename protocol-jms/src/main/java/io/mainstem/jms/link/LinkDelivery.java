package io.mainstem.jms.link;

import io.mainstem.jms.message.EncodedMessage;

/** A message that waits for its outcome. Thread: any; immutable for the outside. */
public interface LinkDelivery {
    EncodedMessage message();

    /** How often it was delivered before and not taken; 0 for the first time. */
    int failures();
}
