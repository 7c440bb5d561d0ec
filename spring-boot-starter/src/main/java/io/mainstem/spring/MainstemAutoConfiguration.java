package io.mainstem.spring;

import io.mainstem.jms.MainstemConnectionFactory;
import jakarta.jms.ConnectionFactory;
import org.messaginghub.pooled.jms.JmsPoolConnectionFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jms.autoconfigure.JmsAutoConfiguration;
import org.springframework.boot.jms.autoconfigure.JmsPoolConnectionFactoryFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jms.connection.CachingConnectionFactory;

/**
 * Makes the application's {@link ConnectionFactory} of the {@code mainstem.*} properties, unless there is one: pooled by
 * pooled-jms if {@code mainstem.pool.enabled}, else with cached sessions unless {@code mainstem.cache.enabled=false}.
 */
@AutoConfiguration(before = JmsAutoConfiguration.class)
@ConditionalOnClass(ConnectionFactory.class)
@ConditionalOnMissingBean(ConnectionFactory.class)
@EnableConfigurationProperties(MainstemProperties.class)
@Import({
    EmbeddedBrokerConfiguration.class,
    MetricsConfiguration.class,
    MainstemAutoConfiguration.Pooled.class,
    MainstemAutoConfiguration.Plain.class
})
public class MainstemAutoConfiguration {
    @Bean
    ProviderFactory providerFactory(MainstemProperties properties, ObjectProvider<BrokerPlace> place) {
        BrokerPlace other = place.getIfAvailable();
        MainstemConnectionFactory factory =
                new MainstemConnectionFactory(other == null ? properties.brokerUri() : other.uri());
        factory.setOptions(properties.options());
        if (properties.username() != null) {
            factory.setUsername(properties.username());
            factory.setPassword(properties.password());
        }
        if (properties.clientId() != null) {
            factory.setClientId(properties.clientId());
        }
        return new ProviderFactory(factory);
    }

    /** Several connections, lent and given back. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JmsPoolConnectionFactory.class)
    @ConditionalOnBooleanProperty("mainstem.pool.enabled")
    static class Pooled {
        @Bean(destroyMethod = "stop")
        JmsPoolConnectionFactory jmsConnectionFactory(MainstemProperties properties, ProviderFactory provider) {
            return new JmsPoolConnectionFactoryFactory(properties.pool())
                    .createPooledConnectionFactory(provider.factory());
        }
    }

    /** One connection, its sessions kept; or the provider's own factory. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "mainstem.pool.enabled", havingValue = false, matchIfMissing = true)
    static class Plain {
        @Bean
        ConnectionFactory jmsConnectionFactory(MainstemProperties properties, ProviderFactory provider) {
            if (!properties.cache().enabled()) {
                return provider.factory();
            }
            CachingConnectionFactory caching = new CachingConnectionFactory(provider.factory());
            caching.setSessionCacheSize(properties.cache().sessions());
            return caching;
        }
    }
}
