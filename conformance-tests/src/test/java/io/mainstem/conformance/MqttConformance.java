package io.mainstem.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The class's tests show statements of MQTT, byte by byte, and take the address of the broker as an
 * {@code InetSocketAddress}; what they find goes into {@code docs/conformance/mqtt.md}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@WithBroker
@ExtendWith(StatementTable.class)
@interface MqttConformance {}
