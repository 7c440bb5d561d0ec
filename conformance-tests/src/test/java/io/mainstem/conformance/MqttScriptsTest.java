package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** MQTT.js, paho-mqtt for Python and the commands of mosquitto against the broker. */
@WithBroker
final class MqttScriptsTest {
    private static final int WAIT_SECONDS = 60;

    @TestFactory
    Stream<DynamicTest> mqttJs(InetSocketAddress broker) throws Exception {
        return ScriptRun.tests(ForeignClient.MQTT_JS.require(), Path.of("src/test/js/mqtt.js"), address(broker));
    }

    @TestFactory
    Stream<DynamicTest> pahoPython(InetSocketAddress broker) throws Exception {
        return ScriptRun.tests(
                ForeignClient.PAHO_PYTHON.require(), Path.of("src/test/python/mqtt.py"), address(broker));
    }

    @ParameterizedTest
    @ValueSource(strings = {"mqttv31", "mqttv311", "mqttv5"})
    void mosquitto(String version, InetSocketAddress broker) throws Exception {
        ForeignClient.MOSQUITTO.require();
        String topic = "mosquitto/" + UUID.randomUUID();
        run("mosquitto_pub", version, broker, topic, "-r", "-q", "2", "-m", "kept");
        assertThat(run("mosquitto_sub", version, broker, topic, "-C", "1", "-q", "1", "-F", "%r %q %p"))
                .isEqualTo("1 1 kept\n");
    }

    private static String run(String command, String version, InetSocketAddress broker, String topic, String... more)
            throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(command, "-V", version, "-h", broker.getHostString()));
        line.addAll(List.of("-p", Integer.toString(broker.getPort()), "-t", topic));
        line.addAll(List.of(more));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        boolean ended = process.waitFor(WAIT_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly();
            throw new AssertionError("no end after " + WAIT_SECONDS + " s: " + line);
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    private static BrokerAddress address(InetSocketAddress broker) {
        return new BrokerAddress(broker.getHostString(), broker.getPort());
    }
}
