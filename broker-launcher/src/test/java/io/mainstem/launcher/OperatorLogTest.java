package io.mainstem.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.ServiceLoader;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an operator finds in the log afterwards. */
@Timeout(120)
final class OperatorLogTest {
    @TempDir
    Path folder;

    @Test
    @DisplayName(
            "start, stop, and what was changed by whom stand in the log, a line each; what was only looked at does not")
    void changesAreInTheLog() throws Exception {
        try (ChildJvm broker = ChildJvm.run(
                Main.class, "start", "--data", folder.toString(), "--set", "amqp.port=0", "--set", "mqtt.port=0")) {
            String address = broker.awaitLine("ready").replaceAll(".*amqp=(\\S+).*", "$1");

            command(address, "queue", "create", "orders");
            command(address, "queue", "create", "orders");
            command(address, "queue", "list");
            command(address, "policy", "set", "short", "o*", "-a", "max-length=3");
            command(address, "queue", "purge", "orders");
            command(address, "queue", "delete", "orders");
            command(address, "connection", "close", "1");

            broker.terminate();
            broker.exitCode();
            String log = broker.err();
            assertThat(log)
                    .contains(
                            "started version=", "data=" + folder, "amqp=" + address, "stopping data=", "stopped data=");
            assertThat(log)
                    .containsOnlyOnce("changed method=PUT path=\"/queues/orders\" vhost=\"/\"")
                    .containsOnlyOnce("changed method=PUT path=\"/policies/short\"")
                    .containsOnlyOnce("changed method=DELETE path=\"/queues/orders/messages\"")
                    .contains("changed method=DELETE path=\"/queues/orders?")
                    .doesNotContain("method=GET");
        }
    }

    @Test
    @DisplayName(
            "an application without a configuration of Logback gets no DEBUG lines of Netty from an embedded broker")
    void quietWhereNothingIsConfigured() {
        Configurator ours = ServiceLoader.load(Configurator.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(EmbeddedLogLevels.class::isInstance)
                .findFirst()
                .orElseThrow();
        LoggerContext context = new LoggerContext();

        // Logback's own fallback comes afterwards and prints what there is.
        assertThat(ours.configure(context)).isEqualTo(Configurator.ExecutionStatus.INVOKE_NEXT_IF_ANY);

        assertThat(context.getLogger("io.netty.channel").isEnabledFor(Level.DEBUG))
                .isFalse();
        assertThat(context.getLogger("io.mainstem.store").isEnabledFor(Level.INFO))
                .isTrue();
        assertThat(context.getLogger("com.example").isEnabledFor(Level.DEBUG)).isTrue();
    }

    private static void command(String address, String... words) {
        StringWriter err = new StringWriter();
        String[] all = Arrays.copyOf(words, words.length + 2);
        all[words.length] = "--url";
        all[words.length + 1] = "amqp://" + address;
        int code = Main.commandLine()
                .setOut(new PrintWriter(new StringWriter()))
                .setErr(new PrintWriter(err))
                .execute(all);
        // The connection that is to be closed has gone by then, which is said.
        assertThat(code).as("%s: %s", Arrays.toString(words), err).isIn(0, 66);
    }
}
