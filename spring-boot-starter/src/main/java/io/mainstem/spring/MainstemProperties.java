package io.mainstem.spring;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.jms.autoconfigure.JmsPoolConnectionFactoryProperties;

/**
 * The {@code mainstem.*} properties.
 *
 * @param brokerUri where the broker is, as {@code MainstemConnectionFactory} takes it
 * @param username null: anonymous
 * @param password null: none
 * @param clientId client identifier of every connection, or null
 * @param options options of the provider by the names they have in a URI
 * @param cache keeps a connection and sessions
 * @param pool pools connections by pooled-jms, instead of the cache
 * @param embedded a broker in this process
 */
@ConfigurationProperties("mainstem")
public record MainstemProperties(
        @DefaultValue("amqp://localhost:5672") String brokerUri,
        @Nullable String username,
        @Nullable String password,
        @Nullable String clientId,
        @DefaultValue Map<String, String> options,
        @DefaultValue Cache cache,
        @DefaultValue @NestedConfigurationProperty JmsPoolConnectionFactoryProperties pool,
        @DefaultValue Embedded embedded) {
    /**
     * One connection and its sessions, used again and again.
     *
     * @param enabled as Spring Boot has it for other providers
     * @param sessions kept for each acknowledge mode, at least 1
     */
    public record Cache(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("10") int sessions) {}

    /**
     * A broker in this process, for tests.
     *
     * @param enabled needs {@code mainstem-broker-launcher} on the class path
     * @param dataDirectory null: a temporary folder that goes with the broker
     */
    public record Embedded(
            @DefaultValue("false") boolean enabled,
            @Nullable String dataDirectory) {}

    /** Shows neither the URI's user nor a password. */
    @Override
    public String toString() {
        return "MainstemProperties[username=" + username + ", clientId=" + clientId + ", options=" + options.keySet()
                + ", cache=" + cache + ", embedded=" + embedded + "]";
    }
}
