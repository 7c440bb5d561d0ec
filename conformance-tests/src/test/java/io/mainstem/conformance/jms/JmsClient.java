package io.mainstem.conformance.jms;

import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.jms.MainstemXaConnectionFactory;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import org.apache.qpid.jms.JmsConnectionFactory;

/** Whose client a test runs with. */
enum JmsClient {
    MAINSTEM_AMQP("Mainstem, amqp") {
        @Override
        ConnectionFactory factory(String options) throws JMSException {
            return new MainstemConnectionFactory(uri(options));
        }
    },
    MAINSTEM_VM("Mainstem, vm") {
        @Override
        ConnectionFactory factory(String options) throws JMSException {
            return new MainstemConnectionFactory(vmUri(options));
        }

        @Override
        MainstemXaConnectionFactory xaFactory() throws JMSException {
            return new MainstemXaConnectionFactory(vmUri(""));
        }

        private static String vmUri(String options) {
            return TestBroker.shared().vmUri() + (options.isEmpty() ? "" : "?" + options);
        }
    },
    QPID("Qpid JMS") {
        @Override
        ConnectionFactory factory(String options) {
            return new JmsConnectionFactory(uri(options));
        }
    };

    private final String title;

    JmsClient(String title) {
        this.title = title;
    }

    /** As the head of a column. */
    final String title() {
        return title;
    }

    /** @param options of the URI, such as {@code jms.prefetchPolicy.all=0}, or empty */
    abstract ConnectionFactory factory(String options) throws JMSException;

    /** For distributed transactions; ours only. */
    MainstemXaConnectionFactory xaFactory() throws JMSException {
        return new MainstemXaConnectionFactory(uri(""));
    }

    final ConnectionFactory factory() throws JMSException {
        return factory("");
    }

    private static String uri(String options) {
        return TestBroker.shared().uri() + (options.isEmpty() ? "" : "?" + options);
    }
}
