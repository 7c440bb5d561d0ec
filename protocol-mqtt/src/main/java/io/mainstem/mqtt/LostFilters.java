package io.mainstem.mqtt;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ErrorKind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a kept session cannot have any more: filters its user may not read, memberships of queues that are gone. They end
 * for good, as if the client had unsubscribed, and the others stay; one forbidden filter, and nothing may be taken from the
 * session's queue. Thread: the connection's event loop.
 */
final class LostFilters {
    private final MqttConnection connection;
    private final MqttProtocol protocol;
    private final Client client;
    private final BrokerSession broker;

    LostFilters(MqttConnection connection, MqttProtocol protocol, Client client, BrokerSession broker) {
        this.connection = connection;
        this.protocol = protocol;
        this.client = client;
        this.broker = broker;
    }

    /**
     * Unbinds what is forbidden.
     *
     * @param dropped told each filter
     */
    CompletionStage<@Nullable Void> drop(String queue, Consumer<String> dropped) {
        BrokerSession trusted = trusted();
        CompletableFuture<?>[] unbound = broker.bindingsOf(queue).stream()
                .filter(binding -> Subscription.isOne(binding) && isForbidden(binding))
                .map(binding -> drop(trusted, binding, dropped).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        trusted.flush();
        return CompletableFuture.allOf(unbound).whenComplete((done, failed) -> trusted.close());
    }

    /** To unbind, and to leave, takes the right that is gone. */
    private BrokerSession trusted() {
        return protocol.broker()
                .connectTrusted(
                        new ClientInfo("/", client.id(), client.user(), connection.peer(), "mqtt-sessions"),
                        connection.executor());
    }

    /**
     * A membership cannot be taken up again. It ends, unless that may be different the next time.
     *
     * @param failure why not
     * @return true if it has ended
     */
    CompletionStage<Boolean> leave(QueueSubscription subscription, Throwable failure) {
        boolean over = isForbidden(failure) || isGone(failure);
        connection.logRefusal("MS-0620 subscription '" + Topics.shown(subscription.filter()) + "' of client '"
                + Topics.shown(client.id()) + (over ? "' is dropped: " : "' waits for the next connection: ")
                + cause(failure).getMessage());
        if (!over) {
            return CompletableFuture.completedFuture(false);
        }
        BrokerSession trusted = trusted();
        return new SessionStore(trusted, client.id())
                .leave(subscription)
                .thenApply(left -> true)
                .whenComplete((left, failed) -> trusted.close());
    }

    static boolean isGone(Throwable failure) {
        return cause(failure) instanceof BrokerException refusal && refusal.kind() == ErrorKind.NOT_FOUND;
    }

    private boolean isForbidden(BindingSpec binding) {
        try {
            broker.requireRead(binding.source(), binding.key());
            return false;
        } catch (BrokerException refused) {
            return true;
        }
    }

    private CompletionStage<@Nullable Void> drop(BrokerSession trusted, BindingSpec binding, Consumer<String> dropped) {
        String filter = Subscription.of(binding).filter();
        connection.logRefusal("MS-0616 client '" + Topics.shown(client.id()) + "' may not read filter '"
                + Topics.shown(filter) + "' any more; the subscription is dropped");
        dropped.accept(filter);
        return trusted.unbind(binding);
    }

    static boolean isForbidden(Throwable failure) {
        return cause(failure) instanceof BrokerException refusal && refusal.kind() == ErrorKind.ACCESS_REFUSED;
    }

    /** Without what stages wrap it in. */
    static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
