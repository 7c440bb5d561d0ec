package io.mainstem.conformance.jms;

import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.jms.MainstemXaConnectionFactory;
import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.ConnectionFactory;
import org.apache.qpid.jms.JmsConnectionFactory;

/** Whose client a test runs with. */
enum JmsClient {
    MAINSTEM_AMQP("Mainstem, amqp") {
        @Override
        ConnectionFactory factory(EmbeddedBroker broker, String options) {
            return new MainstemConnectionFactory(uri(broker, options));
        }
    },
    MAINSTEM_VM("Mainstem, vm") {
        @Override
        ConnectionFactory factory(EmbeddedBroker broker, String options) {
            return new MainstemConnectionFactory(uri(broker, options));
        }

        @Override
        String uri(EmbeddedBroker broker, String options) {
            return with(broker.vmUri().toString(), options);
        }
    },
    QPID("Qpid JMS") {
        @Override
        ConnectionFactory factory(EmbeddedBroker broker, String options) {
            return new JmsConnectionFactory(uri(broker, options));
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

    /**
     * Makes connections to a broker.
     *
     * @param options of the URI, such as {@code jms.prefetchPolicy.all=0}, or empty
     */
    abstract ConnectionFactory factory(EmbeddedBroker broker, String options);

    String uri(EmbeddedBroker broker, String options) {
        return with(broker.uri().toString(), options);
    }

    private static String with(String uri, String options) {
        return uri + (options.isEmpty() ? "" : "?" + options);
    }

    /** To the broker of all tests. */
    final ConnectionFactory factory(String options) {
        return factory(TestBroker.shared(), options);
    }

    final ConnectionFactory factory() {
        return factory("");
    }

    /** For distributed transactions; ours only. */
    final MainstemXaConnectionFactory xaFactory() {
        return new MainstemXaConnectionFactory(uri(TestBroker.shared(), ""));
    }
}
