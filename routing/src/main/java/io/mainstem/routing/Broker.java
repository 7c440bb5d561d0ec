package io.mainstem.routing;

import java.util.List;
import java.util.concurrent.CompletionStage;
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

    /**
     * Makes a virtual host, for whoever may administer; the caller has asked. Completes, on {@code eventLoop}, when it is on
     * disk and can be connected to: true if it was not there before. Fails with INVALID_ARGUMENT or RESOURCE_LIMIT.
     */
    CompletionStage<Boolean> makeVirtualHost(String name, Executor eventLoop);

    /** Names of all virtual hosts, in their order. */
    List<String> virtualHosts();

    /** Non-durable messages dropped since the start, of all queues: there was no room, and nobody to hold back for them. */
    long messagesDropped();

    /**
     * Messages since the start that passed MQTT subscriptions of the default virtual host by, because their routing key is
     * no topic name.
     */
    long messagesUnmappable();

    /** Product version, such as {@code 0.1.0}. */
    String version();
}
