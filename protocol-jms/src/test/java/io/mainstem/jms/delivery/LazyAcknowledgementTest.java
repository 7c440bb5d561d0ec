package io.mainstem.jms.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.jms.ScriptedBroker;
import io.mainstem.jms.destination.MainstemQueue;
import io.mainstem.jms.link.Outcome;
import io.mainstem.jms.metrics.ClientCounters;
import io.mainstem.jms.options.DeliveryOptions;
import io.mainstem.jms.transaction.Transactions;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When messages of DUPS_OK_ACKNOWLEDGE are acknowledged, and what is put back (Jakarta Messaging 6.2.10). */
final class LazyAcknowledgementTest {
    private final ScriptedBroker broker = new ScriptedBroker();
    private final Deliveries deliveries = new Deliveries(Runnable::run, arrived -> {}, inbox -> {});
    private final AckMode mode = AckMode.of(Session.DUPS_OK_ACKNOWLEDGE, deliveries, Transactions.NONE);

    @BeforeEach
    void start() {
        deliveries.start();
    }

    private Inbox consumer() {
        Inbox inbox =
                new Inbox(deliveries, new MainstemQueue("orders"), DeliveryOptions.DEFAULT, new ClientCounters(), true);
        inbox.attached(broker.new Opened());
        deliveries.add(inbox);
        return inbox;
    }

    private void receive(Inbox inbox) throws JMSException {
        InboxDelivery arrived = deliveries.receive(inbox, System.nanoTime());
        assertThat(arrived).isNotNull();
        mode.handed(arrived);
        mode.finished(arrived);
        deliveries.received(arrived);
    }

    @Test
    @DisplayName("The last message that waits for a consumer is acknowledged at once, with those before it")
    void theLastOneIsAcknowledged() throws Exception {
        Inbox inbox = consumer();
        inbox.delivered(ScriptedBroker.delivery());
        inbox.delivered(ScriptedBroker.delivery());

        receive(inbox);
        assertThat(broker.settled()).isEmpty();
        receive(inbox);

        assertThat(broker.settled()).containsExactly(Outcome.ACCEPTED, Outcome.ACCEPTED);
    }

    @Test
    @DisplayName(
            "Messages that wait for a consumer on which nobody calls receive do not hold back another's acknowledgements")
    void otherConsumersDoNotHoldBack() throws Exception {
        Inbox idle = consumer();
        Inbox used = consumer();
        idle.delivered(ScriptedBroker.delivery());
        used.delivered(ScriptedBroker.delivery());

        receive(used);

        assertThat(broker.settled()).containsExactly(Outcome.ACCEPTED);
    }

    @Test
    @DisplayName("What is put back after its connection was lost is gone: the broker sends it again")
    void nothingOfALostConnectionIsPutBack() throws Exception {
        Inbox inbox = consumer();
        inbox.delivered(ScriptedBroker.delivery());
        InboxDelivery arrived = deliveries.receive(inbox, System.nanoTime());
        inbox.interrupted();

        inbox.unpoll(arrived);
        deliveries.received(arrived);

        assertThat(deliveries.receive(inbox, System.nanoTime())).isNull();
    }
}
