package io.mainstem.conformance;

/** Where a broker speaks AMQP 1.0. */
public record BrokerAddress(String host, int port) {
    /** As {@code host:port}, the form of a line in the endpoints file. */
    static BrokerAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("address: " + text + " (expected: host:port)");
        }
        return new BrokerAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    /** For Qpid JMS, with options such as {@code jms.prefetchPolicy.all=0}. */
    public String uri(String... options) {
        String base = "amqp://" + host + ":" + port;
        return options.length == 0 ? base : base + "?" + String.join("&", options);
    }
}
