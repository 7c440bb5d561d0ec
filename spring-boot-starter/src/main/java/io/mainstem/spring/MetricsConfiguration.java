package io.mainstem.spring;

import io.mainstem.jms.metrics.MainstemJmsMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The client's counters as {@code mainstem.jms.*}, if the application has a registry and does not say no. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = "mainstem.metrics.enabled", matchIfMissing = true)
class MetricsConfiguration {
    @Bean
    SmartInitializingSingleton mainstemJmsMetrics(ProviderFactory provider, ObjectProvider<MeterRegistry> registry) {
        return () -> registry.ifUnique(
                found -> new MainstemJmsMetrics(provider.factory().counters(), List.of()).bindTo(found));
    }
}
