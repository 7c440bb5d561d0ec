package io.mainstem.spring;

/**
 * Where the application's broker is, if not where the properties say. A bean of this type, such as the embedded broker's,
 * counts above {@code mainstem.broker-uri}.
 *
 * @param uri as {@code MainstemConnectionFactory} takes it
 */
public record BrokerPlace(String uri) {}
