package io.mainstem.benchmarks.peers;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptorFactory;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;

/**
 * Main class of a child JVM: ActiveMQ Artemis, embedded, on loopback, without security, with a journal that is synced
 * before it confirms (its default). Arguments: data folder, port, journal buffer timeout in nanoseconds (0 = its
 * default of 3.3 ms; {@code artemis create} sets what it measures of the disk).
 */
final class ArtemisServer {
    private ArtemisServer() {}

    public static void main(String[] arguments) throws Exception {
        Path data = Path.of(arguments[0]);
        int port = Integer.parseInt(arguments[1]);
        int bufferTimeoutNanos = Integer.parseInt(arguments[2]);
        EmbeddedActiveMQ server = new EmbeddedActiveMQ();
        server.setConfiguration(configuration(data, port, bufferTimeoutNanos));
        server.start();
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, stopped)));
        System.out.println("ready port=" + port + " journal="
                + server.getActiveMQServer().getConfiguration().getJournalType());
        stopped.await();
    }

    private static Configuration configuration(Path data, int port, int bufferTimeoutNanos) throws Exception {
        Configuration configuration = new ConfigurationImpl()
                .setName("artemis")
                .setSecurityEnabled(false)
                .setJMXManagementEnabled(false)
                .setPersistenceEnabled(true)
                .setJournalType(JournalType.NIO)
                .setJournalSyncTransactional(true)
                .setJournalSyncNonTransactional(true)
                .setJournalDatasync(true)
                .setJournalDirectory(data.resolve("journal").toString())
                .setBindingsDirectory(data.resolve("bindings").toString())
                .setLargeMessagesDirectory(data.resolve("large").toString())
                .setPagingDirectory(data.resolve("paging").toString());
        if (bufferTimeoutNanos > 0) {
            configuration.setJournalBufferTimeout_NIO(bufferTimeoutNanos);
        }
        Map<String, Object> acceptor = Map.of("host", "127.0.0.1", "port", port, "protocols", "AMQP,CORE");
        configuration.addAcceptorConfiguration(
                new TransportConfiguration(NettyAcceptorFactory.class.getName(), acceptor, "amqp"));
        return configuration;
    }

    private static void stop(EmbeddedActiveMQ server, CountDownLatch stopped) {
        try {
            server.stop();
        } catch (Exception e) {
            System.err.println("Artemis does not stop: " + e);
        } finally {
            stopped.countDown();
        }
    }
}
