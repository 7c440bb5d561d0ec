/** MQTT: this broker beside Mosquitto and HiveMQ CE, and many idle connections. */
@NullMarked
package io.mainstem.benchmarks.mqtt;

import org.jspecify.annotations.NullMarked;
