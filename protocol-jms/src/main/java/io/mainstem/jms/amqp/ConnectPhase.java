package io.mainstem.jms.amqp;

/** How far a connection has come: what a message names when its time is over. */
enum ConnectPhase {
    CONNECTING("while the socket was being connected"),
    SECURING("while TLS or the WebSocket was being agreed on"),
    LOGIN("during the login"),
    OPENING("after the login, before the broker has opened it"),
    OPEN("when it was open");

    private final String described;

    ConnectPhase(String described) {
        this.described = described;
    }

    /** When, for people. */
    String described() {
        return described;
    }
}
