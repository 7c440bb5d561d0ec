package io.mainstem.jms.delivery;

import io.mainstem.jms.link.Outcome;
import io.mainstem.jms.message.Acknowledger;
import io.mainstem.jms.message.DeliveryInfo;
import io.mainstem.jms.message.MessageFactory;
import io.mainstem.jms.metrics.ClientCounters;
import io.mainstem.jms.options.Options;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The last step to the application: makes messages of deliveries and calls listeners. Thread: that of its session. */
public final class Handover {
    private static final Logger LOG = LoggerFactory.getLogger(Handover.class);

    private final MessageFactory messages;
    private final Options options;
    private final ClientCounters counters;
    private final Consumer<JMSException> report;
    private final Deliveries deliveries;
    private final AckMode acknowledging;
    private final Acknowledger acknowledger;
    private final BackOff backOff = new BackOff();

    /**
     * The last step of one session.
     *
     * @param report told of what no call can throw
     * @param acknowledger what {@code Message.acknowledge()} of its messages calls
     */
    public Handover(
            MessageFactory messages,
            Options options,
            ClientCounters counters,
            Consumer<JMSException> report,
            Deliveries deliveries,
            AckMode acknowledging,
            Acknowledger acknowledger) {
        this.messages = messages;
        this.options = options;
        this.counters = counters;
        this.report = report;
        this.deliveries = deliveries;
        this.acknowledging = acknowledging;
        this.acknowledger = acknowledger;
    }

    /** Gives a message to its listener. Thread: the session's own. */
    public void dispatch(InboxDelivery arrived) {
        dispatch(arrived, arrived.inbox().listener());
    }

    /** Gives a message to this listener. Thread: the session's own, or one of an application server. */
    void dispatch(InboxDelivery arrived, @Nullable MessageListener listener) {
        try {
            Message message = listener == null ? null : toMessage(arrived);
            if (message == null || listener == null) {
                return;
            }
            if (!handed(arrived)) {
                return;
            }
            counters.delivered();
            listener.onMessage(message);
            acknowledging.finished(arrived);
        } catch (Throwable e) { // An Error, too: the session's thread must go on, or nothing is delivered any more.
            listenerFailed(arrived, e);
        }
    }

    /** False if there is no transaction for it, or it comes again anyway: nobody has seen it, and it goes back. */
    private boolean handed(InboxDelivery arrived) {
        try {
            boolean handed = acknowledging.handed(arrived);
            backOff.reset();
            return handed;
        } catch (JMSException e) {
            deliveries.settle(arrived, Outcome.RELEASED, null);
            report.accept(e);
            deliveries.rest(
                    arrived.inbox(), backOff.nextMs()); // It comes again at once, and the broker may refuse for long.
            return false;
        }
    }

    /** Jakarta Messaging 8.7: in the automatic modes the message comes again at once, in the others the next one comes. */
    private void listenerFailed(InboxDelivery arrived, Throwable cause) {
        LOG.warn(
                "MS-0715 a message listener failed destination={}",
                arrived.inbox().source(),
                cause);
        if (!acknowledging.redeliversAtOnce()) {
            return;
        }
        if (deliveries.inboxes().contains(arrived.inbox())) {
            comesNext(arrived.inbox());
        }
        acknowledging.giveBack(arrived);
    }

    /** What waits goes back first, so that a message that goes back comes before it. */
    private void comesNext(Inbox inbox) {
        try {
            deliveries.withdraw(List.of(inbox), options.timeouts().requestMs());
        } catch (JMSException e) {
            report.accept(e);
        }
    }

    /**
     * The message as the application gets it.
     *
     * @return null if it must not be seen: its time is over, it came too often, or it cannot be read; it is settled then
     */
    public @Nullable Message toMessage(InboxDelivery arrived) {
        int failures = arrived.delivery().failures();
        int failuresMax = options.delivery().redeliveriesMax();
        if (failuresMax >= 0 && failures > failuresMax) {
            deliveries.settle(arrived, Outcome.REJECTED, null);
            return null;
        }
        try {
            Message message = messages.decode(
                    arrived.delivery().message(),
                    new DeliveryInfo(
                            arrived.inbox().source(),
                            arrived.delivery().deliveryCount(),
                            arrived.delivery().maybeSeen(),
                            acknowledger));
            long expiration = message.getJMSExpiration();
            if (expiration > 0
                    && expiration <= System.currentTimeMillis()
                    && options.delivery().expireLocally()) {
                deliveries.settle(arrived, Outcome.UNDELIVERABLE_HERE, null);
                return null;
            }
            return message;
        } catch (JMSException | RuntimeException unreadable) {
            LOG.warn(
                    "MS-0719 a message cannot be read and is rejected destination={}",
                    arrived.inbox().source(),
                    unreadable);
            deliveries.settle(arrived, Outcome.REJECTED, null);
            return null;
        }
    }
}
