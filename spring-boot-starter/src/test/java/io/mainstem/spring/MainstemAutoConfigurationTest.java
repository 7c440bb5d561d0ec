package io.mainstem.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.launcher.EmbeddedBroker;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.messaginghub.pooled.jms.JmsPoolConnectionFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.jms.autoconfigure.JmsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.connection.CachingConnectionFactory;
import org.springframework.jms.core.JmsTemplate;

/** The starter in application contexts of Spring Boot 4. */
final class MainstemAutoConfigurationTest {
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(MainstemAutoConfiguration.class, JmsAutoConfiguration.class));

    @Configuration(proxyBeanMethods = false)
    static class Listening {
        @Bean
        Listener listener() {
            return new Listener();
        }
    }

    static final class Listener {
        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

        @JmsListener(destination = "orders")
        void order(String text) {
            received.add(text);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnFactory {
        @Bean
        ConnectionFactory own() {
            return new MainstemConnectionFactory("amqp://own");
        }
    }

    private static MainstemConnectionFactory target(ConnectionFactory factory) {
        return (MainstemConnectionFactory) ((CachingConnectionFactory) factory).getTargetConnectionFactory();
    }

    @Test
    @DisplayName("Without any property there is a cached factory for localhost")
    void thereIsAFactoryByDefault() {
        application.run(context -> {
            ConnectionFactory factory = context.getBean(ConnectionFactory.class);
            assertThat(target(factory).getBrokerUri()).isEqualTo("amqp://localhost:5672");
            assertThat(((CachingConnectionFactory) factory).getSessionCacheSize())
                    .isEqualTo(10);
            assertThat(context).hasSingleBean(JmsTemplate.class).doesNotHaveBean(EmbeddedBroker.class);
        });
    }

    @Test
    @DisplayName("Properties configure the factory, options by their own names")
    void propertiesConfigureTheFactory() {
        application
                .withPropertyValues(
                        "mainstem.broker-uri=failover:(amqp://a,amqp://b)",
                        "mainstem.username=anna",
                        "mainstem.password=secret",
                        "mainstem.client-id=c",
                        "mainstem.options.jms.prefetch=7",
                        "mainstem.options.jms.validatePropertyNames=false",
                        "mainstem.cache.enabled=false")
                .run(context -> {
                    MainstemConnectionFactory factory = context.getBean(MainstemConnectionFactory.class);
                    assertThat(factory.getBrokerUri()).isEqualTo("failover:(amqp://a,amqp://b)");
                    assertThat(factory.getUsername()).isEqualTo("anna");
                    assertThat(factory.getPassword()).isEqualTo("secret");
                    assertThat(factory.getClientId()).isEqualTo("c");
                    assertThat(factory.getPrefetch()).isEqualTo(7);
                    assertThat(factory.getOption("jms.validatePropertyNames")).isEqualTo("false");
                    assertThat(context.getBean(MainstemProperties.class).toString())
                            .doesNotContain("secret");
                });
    }

    @Test
    @DisplayName("A wrong option ends the start with the nearest name")
    void wrongOptionsEndTheStart() {
        application
                .withPropertyValues("mainstem.options.jms.prefetsh=7")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("MS-0771")
                        .hasMessageContaining("jms.prefetch"));
    }

    @Test
    @DisplayName("An application's own factory stays")
    void ownFactoriesStay() {
        application
                .withUserConfiguration(OwnFactory.class)
                .run(context -> assertThat(
                                context.getBean(MainstemConnectionFactory.class).getBrokerUri())
                        .isEqualTo("amqp://own"));
    }

    @Test
    @DisplayName("With an embedded broker JmsTemplate sends and @JmsListener receives")
    void theEmbeddedBrokerServesTemplateAndListener() {
        application
                .withUserConfiguration(Listening.class)
                .withPropertyValues("mainstem.embedded.enabled=true")
                .run(context -> {
                    context.getBean(JmsTemplate.class).convertAndSend("orders", "a text");

                    assertThat(context.getBean(Listener.class).received.poll(60, TimeUnit.SECONDS))
                            .isEqualTo("a text");
                });
    }

    @Test
    @DisplayName("With mainstem.pool.enabled connections come from pooled-jms")
    void poolsLendConnections() {
        application
                .withPropertyValues(
                        "mainstem.embedded.enabled=true",
                        "mainstem.pool.enabled=true",
                        "mainstem.pool.max-connections=2")
                .run(context -> {
                    JmsPoolConnectionFactory pool = context.getBean(JmsPoolConnectionFactory.class);
                    openAndClose(pool);
                    openAndClose(pool);

                    assertThat(pool.getMaxConnections()).isEqualTo(2);
                    assertThat(pool.getNumConnections()).isLessThanOrEqualTo(2);
                    context.getBean(JmsTemplate.class).convertAndSend("pooled", Map.of("n", 1));
                    assertThat(context.getBean(JmsTemplate.class).receiveAndConvert("pooled"))
                            .isEqualTo(Map.of("n", 1));
                });
    }

    private static void openAndClose(ConnectionFactory factory) throws JMSException {
        try (Connection connection = factory.createConnection()) {
            connection.start();
        }
    }

    @Test
    @DisplayName(
            "With a MeterRegistry the client's counters are meters, whatever keeps its sessions; without, or told not to, none")
    void countersAreMeters() {
        ApplicationContextRunner measured =
                application.withPropertyValues("mainstem.embedded.enabled=true").withBean(SimpleMeterRegistry.class);
        measured.run(context -> {
            context.getBean(JmsTemplate.class).convertAndSend("counted", "a text");
            context.getBean(JmsTemplate.class).receiveAndConvert("counted");

            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertThat(registry.get("mainstem.jms.sent").functionCounter().count())
                    .isEqualTo(1);
            assertThat(registry.get("mainstem.jms.received").functionCounter().count())
                    .isEqualTo(1);
            assertThat(registry.get("mainstem.jms.connections").gauge().value()).isEqualTo(1);
        });
        measured.withPropertyValues("mainstem.metrics.enabled=false")
                .run(context -> assertThat(context.getBean(MeterRegistry.class)
                                .find("mainstem.jms.sent")
                                .meter())
                        .isNull());
    }

    @Test
    @DisplayName("A failed start says what is wrong and what mends it, not a stack trace")
    void aFailedStartIsExplained() {
        application.withPropertyValues("mainstem.options.jms.prefetsh=7").run(context -> {
            FailureAnalysis analysis = new MainstemFailureAnalyzer().analyze(context.getStartupFailure());

            assertThat(analysis.getDescription()).startsWith("MS-0771").contains("nearest: jms.prefetch");
            assertThat(analysis.getAction()).isEqualTo("Write a name from docs/protocols/jms.md.");
        });
        assertThat(new MainstemFailureAnalyzer().analyze(new IllegalStateException("not ours")))
                .isNull();
        assertThat(SpringFactoriesLoader.forDefaultResourceLocation(getClass().getClassLoader())
                        .load(FailureAnalyzer.class, FailureHandler.handleMessage((text, cause) -> {})))
                .hasAtLeastOneElementOfType(MainstemFailureAnalyzer.class);
    }

    @Test
    @DisplayName("Without the broker's, the pool's and Micrometer's jars the factory is made all the same")
    void optionalJarsMayBeMissing() {
        application
                .withClassLoader(new FilteredClassLoader(
                        EmbeddedBroker.class, JmsPoolConnectionFactory.class, MeterRegistry.class))
                .run(context -> assertThat(context).hasSingleBean(ConnectionFactory.class));
    }
}
