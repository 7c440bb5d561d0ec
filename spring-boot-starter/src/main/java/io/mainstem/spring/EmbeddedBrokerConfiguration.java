package io.mainstem.spring;

import io.mainstem.launcher.EmbeddedBroker;
import java.nio.file.Path;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A broker of this process on a free port, if {@code mainstem.embedded.enabled}; the application connects to it. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(EmbeddedBroker.class)
@ConditionalOnBooleanProperty("mainstem.embedded.enabled")
class EmbeddedBrokerConfiguration {
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    EmbeddedBroker embeddedBroker(MainstemProperties properties) {
        EmbeddedBroker.Builder builder = EmbeddedBroker.builder();
        String folder = properties.embedded().dataDirectory();
        return folder == null
                ? builder.start()
                : builder.dataDirectory(Path.of(folder)).start();
    }

    @Bean
    @ConditionalOnMissingBean
    BrokerPlace brokerPlace(EmbeddedBroker broker) {
        return new BrokerPlace(broker.uri().toString());
    }
}
