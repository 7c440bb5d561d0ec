package io.mainstem.routing;

import java.util.concurrent.Executor;

/** What protocol heads call. Thread: any. */
public interface Broker {
    /**
     * Opens a session for one connection. Every callback of the session and of its consumers runs on {@code eventLoop},
     * and every method of them must be called there. What the session may do is what the client's user may.
     *
     * @throws BrokerException with {@link ErrorKind#NOT_FOUND} if the virtual host does not exist
     */
    BrokerSession connect(ClientInfo client, Executor eventLoop);

    /** As {@link #connect}, for work that a head does of its own: everything is permitted. */
    BrokerSession connectTrusted(ClientInfo client, Executor eventLoop);

    /** Product version, such as {@code 0.1.0}. */
    String version();
}
