package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.JMSSecurityRuntimeException;
import jakarta.jms.Queue;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Names and passwords (Jakarta Messaging 6.1.3): the factory's call fails, nothing later. */
final class LoginTest {
    private static EmbeddedBroker broker;

    @BeforeAll
    static void begin() {
        // Neither the hashes nor the wait behind failed logins are the subject.
        broker = EmbeddedBroker.builder()
                .set("security.password-iterations", "4096")
                .set("security.failed-logins-burst", "1000")
                .user("anna", "correct horse")
                .user("reader", "pw", "allow read queue *")
                .start();
    }

    @AfterAll
    static void end() {
        broker.close();
    }

    private static List<MainstemConnectionFactory> factories() {
        return List.of(
                new MainstemConnectionFactory(broker.uri().toString()),
                new MainstemConnectionFactory(broker.uri() + "?amqp.saslMechanisms=PLAIN"),
                new MainstemConnectionFactory(broker.uri() + "?amqp.saslMechanisms=SCRAM-SHA-256"),
                new MainstemConnectionFactory("amqpws://127.0.0.1:" + broker.port() + "/mainstem"),
                new MainstemConnectionFactory(broker.vmUri().toString()),
                new MainstemConnectionFactory("failover:(" + broker.uri() + ")"));
    }

    @Test
    void theRightPasswordLetsInByEveryMechanism() {
        for (MainstemConnectionFactory factory : factories()) {
            try (JMSContext context = factory.createContext("anna", "correct horse")) {
                Queue queue = context.createQueue(Names.unique("login"));
                context.createProducer().send(queue, "in");
                assertThat(context.createConsumer(queue).receiveBody(String.class, Names.WAIT_MS))
                        .isEqualTo("in");
            }
        }
    }

    @Test
    void theWrongPasswordAndNoNameAreRefusedAtOnce() {
        for (MainstemConnectionFactory factory : factories()) {
            assertThatThrownBy(() -> factory.createConnection("anna", "wrong"))
                    .isInstanceOf(JMSSecurityException.class)
                    .hasMessageContaining("MS-0703");
            assertThatThrownBy(() -> factory.createContext("anna", "wrong"))
                    .isInstanceOf(JMSSecurityRuntimeException.class);
            assertThatThrownBy(factory::createConnection).isInstanceOf(JMSSecurityException.class);
        }
    }

    @Test
    void whatAUserMayNotDoIsASecurityException() {
        try (JMSContext context = factories().get(0).createContext("reader", "pw")) {
            Queue queue = context.createQueue(Names.unique("forbidden"));
            assertThatThrownBy(() -> context.createProducer().send(queue, "x"))
                    .isInstanceOf(JMSSecurityRuntimeException.class);
        }
    }

    @AllClients
    @Clause({"6.1.1", "ConnectionFactory.createConnection", "ConnectionFactory.createContext"})
    void credentialsAreThoseOfTheCallOrNobodys(JmsClient client) throws Exception {
        ConnectionFactory factory = client.factory(broker, "");
        try (Connection connection = factory.createConnection("anna", "correct horse")) {
            connection.start();
        }
        assertThatThrownBy(() -> factory.createConnection("anna", "wrong").start())
                .isInstanceOf(JMSSecurityException.class);
        assertThatThrownBy(() -> factory.createConnection().start()).isInstanceOf(JMSSecurityException.class);
        try (JMSContext context = factory.createContext("anna", "correct horse")) {
            context.start();
        }
        assertThatThrownBy(() -> factory.createContext("anna", "wrong").start())
                .isInstanceOf(JMSSecurityRuntimeException.class);
    }
}
