package io.mainstem.conformance.ecosystem;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.conformance.BrokerProcess;
import io.mainstem.conformance.ecosystem.Step.Watch;
import io.mainstem.launcher.EmbeddedBroker;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A queue, a database and their transaction manager, each of which dies once at each step of a transaction. When it is back
 * and the manager has recovered, all of the transaction is done or nothing, nothing is in doubt and nothing locked.
 */
final class TransactionKillTest {
    private static final Watch NOBODY = step -> {};
    private static final int KILLED = 137;

    @TempDir
    private static Path folder;

    private static BrokerProcess broker;
    private static String database;
    private static Path journal;

    @BeforeAll
    static void start() throws Exception {
        journal = ManagerOfTests.journal();
        database = "jdbc:h2:" + folder.resolve("orders") + ";WRITE_DELAY=0";
        try (Connection connection = DriverManager.getConnection(database)) {
            connection.createStatement().execute("CREATE TABLE orders (id VARCHAR PRIMARY KEY)");
        }
        broker = BrokerProcess.startShortLived(folder.resolve("broker"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(Step.class)
    @DisplayName("The client dies, with the database and the transaction manager that it carries")
    void theClientIsKilled(Step step) throws Exception {
        String line = "client." + step;
        Process client = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OrderProgram.class.getName(),
                        broker.address().uri(),
                        database,
                        journal.toString(),
                        line,
                        step.name())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(line + ".output").toFile())
                .start();
        assertThat(client.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(client.exitValue()).as("output in %s", folder).isEqualTo(KILLED);

        assertWhole(broker.address().uri(), line, step.isDecided());
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(Step.class)
    @DisplayName("The broker dies, and comes back when the client has given up")
    void theBrokerIsKilled(Step step) throws Exception {
        String line = "broker." + step;
        boolean done;
        try (OrderProgram program = new OrderProgram(broker.address().uri(), database, once(step, broker::kill9))) {
            program.placeOrder(line);
            done = isDone(program, line);
        }
        assertThat(done).isEqualTo(step.isPrepared());

        broker.restart();
        assertWhole(broker.address().uri(), line, done);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(Step.class)
    @DisplayName("The broker dies and is back at once, and the client finds it again by failover")
    void theBrokerIsRestarted(Step step, @TempDir Path data) throws Exception {
        String line = "restart." + step;
        AtomicReference<EmbeddedBroker> embedded = new AtomicReference<>(
                EmbeddedBroker.builder().dataDirectory(data).start());
        int port = embedded.get().port();
        Watch restart = once(step, () -> {
            embedded.get().crash();
            embedded.get().close();
            embedded.set(EmbeddedBroker.builder()
                    .dataDirectory(data)
                    .set("amqp.port", Integer.toString(port))
                    .start());
        });
        String uri = "failover:(" + embedded.get().uri() + ")?failover.maxReconnectDelay=50";
        try (OrderProgram program = new OrderProgram(uri, database, restart)) {
            program.placeOrder(line);
            boolean done = isDone(program, line);
            assertThat(done).isEqualTo(step.isPrepared());
            if (!done) {
                program.work(line);
            }
            assertWhole(embedded.get().uri().toString(), line, true);
        } finally {
            embedded.get().close();
        }
    }

    private static Watch once(Step at, Runnable death) {
        AtomicBoolean dead = new AtomicBoolean();
        return step -> {
            if (step == at && !dead.getAndSet(true)) {
                death.run();
            }
        };
    }

    /** What the program is told. */
    private static boolean isDone(OrderProgram program, String line) {
        try {
            program.work(line);
            return true;
        } catch (Exception undone) {
            return false;
        }
    }

    private static void assertWhole(String uri, String line, boolean done) throws Exception {
        try (OrderProgram program = new OrderProgram(uri, database, NOBODY)) {
            ManagerOfTests.recover(program.resources());
            assertThat(program.inDoubt()).isZero();
            if (!done) {
                assertThat(program.rows(line)).isZero();
                assertThat(program.takeAnnouncement(line)).isFalse();
                program.work(line); // The order is there again, and nothing is locked.
            }
            assertThat(program.rows(line)).isEqualTo(1);
            assertThat(program.takeOrder(line)).isFalse();
            assertThat(program.takeAnnouncement(line)).isTrue();
            assertThat(program.takeAnnouncement(line)).isFalse();
        }
    }
}
