package io.mainstem.jms.link;

import jakarta.jms.JMSException;

/** Takes what a receiver gets. Thread: the transport's; must not block. */
public interface DeliveryListener {
    void delivered(LinkDelivery delivery);

    /** The broker ended the link: nothing comes any more. */
    void detached(JMSException reason);

    /** The connection is lost, another is looked for: what was delivered and not settled is the broker's again. */
    void interrupted();

    /**
     * The connection was lost and the receiver has been attached to another one: what was delivered before cannot be
     * settled any more and may come again; credit and drains are void.
     */
    void reattached();
}
