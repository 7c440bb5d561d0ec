package io.mainstem.conformance.jms;

import io.mainstem.launcher.EmbeddedBroker;

/** The broker of all these tests: in this JVM, so that clients can reach it without sockets, too. Ends with the JVM. */
final class TestBroker {
    private static final class Holder {
        static final EmbeddedBroker BROKER = started();

        private static EmbeddedBroker started() {
            EmbeddedBroker broker = EmbeddedBroker.builder().start();
            Runtime.getRuntime().addShutdownHook(new Thread(broker::close));
            return broker;
        }
    }

    private TestBroker() {}

    static EmbeddedBroker shared() {
        return Holder.BROKER;
    }
}
