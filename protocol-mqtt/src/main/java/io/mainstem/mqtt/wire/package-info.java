/**
 * MQTT packets to and from bytes: 3.1, 3.1.1 and 5.0, strict in what is read.
 *
 * <p>Thread: any; nothing here keeps state.
 *
 * <p>May be imported by: {@code io.mainstem.mqtt}.
 */
@NullMarked
package io.mainstem.mqtt.wire;

import org.jspecify.annotations.NullMarked;
