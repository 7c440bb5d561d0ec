package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Topic;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Qpid JMS publishes and subscribes. */
@WithBroker
final class JmsTopicTest {
    private final BrokerAddress broker;

    JmsTopicTest(BrokerAddress broker) {
        this.broker = broker;
    }

    @Test
    void everySubscriberGetsEveryMessageSentAfterItCame() {
        try (JMSContext context = Jms.context(broker)) {
            Topic topic = context.createTopic(Jms.uniqueName("topic"));
            JMSConsumer first = context.createConsumer(topic);
            context.createProducer().send(topic, "1");
            JMSConsumer second = context.createConsumer(topic);
            context.createProducer().send(topic, "2");

            assertThat(Jms.receiveBodies(first, 2)).containsExactly("1", "2");
            assertThat(Jms.receiveBodies(second, 1)).containsExactly("2");
            assertThat(second.receiveNoWait()).isNull();
        }
    }

    @Test
    @DisplayName("a publish that nobody hears is no error [J-2]")
    void publishingWithoutSubscribersSucceeds() {
        try (JMSContext context = Jms.context(broker)) {
            context.createProducer().send(context.createTopic(Jms.uniqueName("topic")), "unheard");
        }
    }

    @Test
    @DisplayName("a queue and a topic of one name are two things [mapping 1.2]")
    void queueAndTopicOfOneNameAreUnrelated() {
        try (JMSContext context = Jms.context(broker)) {
            String name = Jms.uniqueName("both");
            JMSConsumer queueConsumer = context.createConsumer(context.createQueue(name));
            JMSConsumer topicConsumer = context.createConsumer(context.createTopic(name));
            context.createProducer().send(context.createQueue(name), "to the queue");
            context.createProducer().send(context.createTopic(name), "to the topic");

            assertThat(Jms.receiveBodies(queueConsumer, 1)).containsExactly("to the queue");
            assertThat(Jms.receiveBodies(topicConsumer, 1)).containsExactly("to the topic");
            assertThat(queueConsumer.receiveNoWait()).isNull();
        }
    }

    @Test
    @DisplayName("a consumer's whole-word wildcards match [A-12]")
    void wildcardsSubscribe() {
        try (JMSContext context = Jms.context(broker)) {
            String base = Jms.uniqueName("t");
            JMSConsumer oneWord = context.createConsumer(context.createTopic(base + ".*"));
            JMSConsumer anyWords = context.createConsumer(context.createTopic(base + ".#"));
            for (String key : new String[] {"", ".a", ".a.b"}) {
                context.createProducer().send(context.createTopic(base + key), "body" + key);
            }

            assertThat(Jms.receiveBodies(anyWords, 3)).containsExactly("body", "body.a", "body.a.b");
            assertThat(Jms.receiveBodies(oneWord, 1)).containsExactly("body.a");
            assertThat(oneWord.receiveNoWait()).isNull();
        }
    }

    @Test
    @DisplayName("a durable subscription collects while its consumer is away [mapping 4.5, 4.6]")
    void durableSubscriptionResumes() {
        String clientId = "client-" + UUID.randomUUID();
        String name = Jms.uniqueName("topic");
        try (JMSContext publisher = Jms.context(broker)) {
            try (JMSContext subscriber = Jms.context(broker, "jms.clientID=" + clientId)) {
                JMSConsumer consumer = subscriber.createDurableConsumer(subscriber.createTopic(name), "sub");
                publisher.createProducer().send(publisher.createTopic(name), "while here");
                assertThat(Jms.receiveBodies(consumer, 1)).containsExactly("while here");
                consumer.close();
                publisher.createProducer().send(publisher.createTopic(name), "consumer closed");
            }
            publisher.createProducer().send(publisher.createTopic(name), "connection closed");

            try (JMSContext subscriber = Jms.context(broker, "jms.clientID=" + clientId)) {
                JMSConsumer consumer = subscriber.createDurableConsumer(subscriber.createTopic(name), "sub");
                assertThat(Jms.receiveBodies(consumer, 2)).containsExactly("consumer closed", "connection closed");
                consumer.close();
                subscriber.unsubscribe("sub");
                publisher.createProducer().send(publisher.createTopic(name), "unsubscribed");

                JMSConsumer fresh = subscriber.createDurableConsumer(subscriber.createTopic(name), "sub");
                assertThat(fresh.receiveNoWait()).isNull();
                fresh.close();
                subscriber.unsubscribe("sub");
            }
        }
    }

    @Test
    @DisplayName("one subscription name of two clients is two subscriptions [mapping 2.1]")
    void durableSubscriptionsBelongToTheirClient() {
        String name = Jms.uniqueName("topic");
        try (JMSContext one = Jms.context(broker, "jms.clientID=one-" + UUID.randomUUID());
                JMSContext two = Jms.context(broker, "jms.clientID=two-" + UUID.randomUUID())) {
            JMSConsumer ones = one.createDurableConsumer(one.createTopic(name), "sub");
            JMSConsumer twos = two.createDurableConsumer(two.createTopic(name), "sub");
            one.createProducer().send(one.createTopic(name), "for both");

            assertThat(Jms.receiveBodies(ones, 1)).containsExactly("for both");
            assertThat(Jms.receiveBodies(twos, 1)).containsExactly("for both");
            ones.close();
            twos.close();
            one.unsubscribe("sub");
            two.unsubscribe("sub");
        }
    }

    @Test
    @DisplayName("another topic under the same subscription name starts afresh [S-2]")
    void durableSubscriptionOnAnotherTopicIsRecreated() {
        String first = Jms.uniqueName("first");
        String second = Jms.uniqueName("second");
        try (JMSContext context = Jms.context(broker, "jms.clientID=client-" + UUID.randomUUID())) {
            context.createDurableConsumer(context.createTopic(first), "sub").close();
            context.createProducer().send(context.createTopic(first), "old");

            JMSConsumer consumer = context.createDurableConsumer(context.createTopic(second), "sub");
            context.createProducer().send(context.createTopic(first), "old");
            context.createProducer().send(context.createTopic(second), "new");
            assertThat(Jms.receiveBodies(consumer, 1)).containsExactly("new");
            consumer.close();
            context.unsubscribe("sub");
        }
    }
}
