package io.mainstem.spring;

import io.mainstem.jms.MainstemConnectionFactory;

/**
 * The provider's own factory, behind whatever keeps sessions or connections. No {@code ConnectionFactory} itself: the
 * application shall find one only.
 *
 * @param factory as the properties say
 */
record ProviderFactory(MainstemConnectionFactory factory) {}
