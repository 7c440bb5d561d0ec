/**
 * What a connection URI and a factory's bean properties say, checked and with defaults.
 *
 * <p>Thread: immutable.
 *
 * <p>May be imported by: every package of the provider.
 */
@NullMarked
package io.mainstem.jms.options;

import org.jspecify.annotations.NullMarked;
