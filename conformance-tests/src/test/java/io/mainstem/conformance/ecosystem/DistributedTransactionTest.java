package io.mainstem.conformance.ecosystem;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.jms.MainstemXaConnectionFactory;
import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.jms.XAJMSContext;
import jakarta.transaction.TransactionManager;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A queue and a database in one transaction, by Narayana as the transaction manager and H2 as the database. */
final class DistributedTransactionTest {
    private static final long WAIT_MS = 60_000;
    private static final long SOON_MS = 300;

    @TempDir
    private Path data;

    private EmbeddedBroker broker;
    private JdbcDataSource database;
    private Connection keepsDatabase;

    @BeforeAll
    static void configure() {
        ManagerOfTests.journal();
    }

    @BeforeEach
    void start() throws SQLException {
        broker = EmbeddedBroker.builder().dataDirectory(data).start();
        database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + data.getFileName());
        keepsDatabase = database.getConnection();
        try (Statement statement = keepsDatabase.createStatement()) {
            statement.execute("CREATE TABLE orders (id VARCHAR PRIMARY KEY)");
        }
        try (JMSContext context = factory().createContext()) {
            context.createProducer().send(context.createQueue("in"), "order 1");
        }
    }

    @AfterEach
    void stop() throws SQLException {
        broker.close();
        keepsDatabase.close();
    }

    private MainstemConnectionFactory factory() {
        return new MainstemConnectionFactory(broker.uri().toString());
    }

    /** One order: taken from one queue, written to the database, announced on another queue. */
    private void work(XAJMSContext context, XAConnection rows, XAResource messages, boolean commit) throws Exception {
        TransactionManager manager = com.arjuna.ats.jta.TransactionManager.transactionManager();
        manager.begin();
        manager.getTransaction().enlistResource(messages);
        manager.getTransaction().enlistResource(rows.getXAResource());
        Message order = context.createConsumer(context.createQueue("in")).receive(WAIT_MS);
        assertThat(order).isNotNull();
        try (Statement statement = rows.getConnection().createStatement()) {
            statement.execute("INSERT INTO orders VALUES ('" + order.getBody(String.class) + "')");
        }
        context.createProducer().send(context.createQueue("out"), order.getBody(String.class));
        if (commit) {
            manager.commit();
        } else {
            manager.rollback();
        }
    }

    private int rows() throws SQLException {
        try (Statement statement = keepsDatabase.createStatement();
                ResultSet count = statement.executeQuery("SELECT COUNT(*) FROM orders")) {
            count.next();
            return count.getInt(1);
        }
    }

    private Message take(String name, long waitMs) {
        try (JMSContext context = factory().createContext()) {
            Queue queue = context.createQueue(name);
            return context.createConsumer(queue).receive(waitMs);
        }
    }

    @Test
    @DisplayName("Committed: the message is taken, the row written, the other message there")
    void everythingIsCommitted() throws Exception {
        XAConnection rows = database.getXAConnection();
        try (XAJMSContext context = new MainstemXaConnectionFactory(broker.uri().toString()).createXAContext()) {
            work(context, rows, context.getXAResource(), true);
        }
        rows.close();

        assertThat(rows()).isEqualTo(1);
        assertThat(take("out", WAIT_MS).getBody(String.class)).isEqualTo("order 1");
        assertThat(take("in", SOON_MS)).isNull();
    }

    @Test
    @DisplayName("Rolled back: the message is there again and marked, no row, no other message")
    void everythingIsRolledBack() throws Exception {
        XAConnection rows = database.getXAConnection();
        try (XAJMSContext context = new MainstemXaConnectionFactory(broker.uri().toString()).createXAContext()) {
            work(context, rows, context.getXAResource(), false);
        }
        rows.close();

        assertThat(rows()).isZero();
        assertThat(take("out", SOON_MS)).isNull();
        Message again = take("in", WAIT_MS);
        assertThat(again.getBody(String.class)).isEqualTo("order 1");
        assertThat(again.getJMSRedelivered()).isTrue();
    }
}
