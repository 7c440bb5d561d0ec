package io.mainstem.conformance.ecosystem;

import io.mainstem.conformance.ecosystem.Step.Watch;
import io.mainstem.jms.MainstemXaConnectionFactory;
import jakarta.jms.JMSConsumer;
import jakarta.jms.Message;
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

/**
 * A program that takes orders from a queue, writes each to a database and announces it on another queue, in one
 * transaction of Narayana's. Thread: one.
 */
final class OrderProgram implements AutoCloseable {
    static final long WAIT_MS = 20_000;

    private static final int KILLED = 137;

    private final XAJMSContext context;
    private final XAConnection database;
    private final Connection rows;
    private final Watch watch;

    /**
     * Connects.
     *
     * @param brokerUri of the client, with failover or without
     * @param databaseUrl of H2
     * @param watch told of every step
     */
    OrderProgram(String brokerUri, String databaseUrl, Watch watch) throws SQLException {
        this.context = new MainstemXaConnectionFactory(brokerUri).createXAContext();
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(databaseUrl);
        this.database = source.getXAConnection();
        this.rows = database.getConnection(); // Another handle would end the work of the first.
        this.watch = watch;
    }

    /** A life that ends at one step: broker's URI, database's URL, journal's folder, the order's line, name of the step. */
    public static void main(String... args) throws Exception {
        ManagerOfTests.configure(Path.of(args[2]));
        Step last = Step.valueOf(args[4]);
        Watch watch = step -> {
            if (step == last) {
                Runtime.getRuntime().halt(KILLED);
            }
        };
        try (OrderProgram program = new OrderProgram(args[0], args[1], watch)) {
            program.placeOrder(args[3]);
            program.work(args[3]);
        }
    }

    /** Lines are named by what their orders are about: no test sees those of another. */
    void placeOrder(String line) {
        context.createProducer().send(context.createQueue("in." + line), line);
    }

    /** One order; an exception says that it is undone. */
    void work(String line) throws Exception {
        TransactionManager manager = com.arjuna.ats.jta.TransactionManager.transactionManager();
        manager.begin();
        try (JMSConsumer orders = context.createConsumer(context.createQueue("in." + line))) {
            manager.getTransaction().enlistResource(WatchedResource.messages(context.getXAResource(), watch));
            manager.getTransaction().enlistResource(WatchedResource.database(database.getXAResource(), watch));
            watch.reached(Step.BEGUN);
            Message order = orders.receive(WAIT_MS);
            if (order == null) {
                throw new IllegalStateException("no order in line " + line);
            }
            watch.reached(Step.RECEIVED);
            context.createProducer().send(context.createQueue("out." + line), order.getBody(String.class));
            watch.reached(Step.SENT);
            try (Statement statement = rows.createStatement()) {
                statement.execute("INSERT INTO orders VALUES ('" + order.getBody(String.class) + "')");
            }
            watch.reached(Step.WRITTEN);
        } catch (Exception e) {
            manager.rollback();
            throw e;
        }
        manager.commit();
    }

    /** What announces orders of this line; without waiting, outside of transactions. */
    boolean takeAnnouncement(String line) {
        try (JMSConsumer announced = context.createConsumer(context.createQueue("out." + line))) {
            return announced.receiveNoWait() != null;
        }
    }

    /** True if an order waits; it does so no longer. */
    boolean takeOrder(String line) {
        try (JMSConsumer orders = context.createConsumer(context.createQueue("in." + line))) {
            return orders.receiveNoWait() != null;
        }
    }

    int rows(String line) throws SQLException {
        return count("orders WHERE id = '" + line + "'");
    }

    /** Prepared and not decided, in both. */
    int inDoubt() throws Exception {
        return count("INFORMATION_SCHEMA.IN_DOUBT") + context.getXAResource().recover(XAResource.TMSTARTRSCAN).length;
    }

    private int count(String what) throws SQLException {
        try (Statement statement = rows.createStatement();
                ResultSet count = statement.executeQuery("SELECT COUNT(*) FROM " + what)) {
            count.next();
            return count.getInt(1);
        }
    }

    XAResource[] resources() throws SQLException {
        return new XAResource[] {context.getXAResource(), database.getXAResource()};
    }

    @Override
    public void close() throws SQLException {
        context.close();
        database.close();
    }
}
