package io.mainstem.jms.link;

import io.mainstem.jms.message.EncodedMessage;

/** A message that waits for its outcome. Thread: any; immutable for the outside. */
public interface LinkDelivery {
    EncodedMessage message();

    /** How often it was delivered before and not taken; 0 for the first time. */
    int failures();

    /** True if an application may have had it before: it failed, or nobody can say what became of an earlier delivery. */
    default boolean maybeSeen() {
        return failures() > 0;
    }

    /** {@code JMSXDeliveryCount}, which is above 1 whenever {@code JMSRedelivered} is true (Jakarta Messaging 3.5.11). */
    default int deliveryCount() {
        return Math.max(failures() + 1, maybeSeen() ? 2 : 1);
    }
}
