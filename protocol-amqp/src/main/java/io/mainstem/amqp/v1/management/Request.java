package io.mainstem.amqp.v1.management;

import org.jspecify.annotations.Nullable;

/**
 * A request [mapping 5.3].
 *
 * @param method such as {@code PUT}: the message's subject
 * @param target path and query, percent-encoded: the message's {@code to}
 * @param body the amqp-value, decoded by proton-j; null = none
 */
public record Request(
        String method, String target, @Nullable Object body) {}
