package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions as queues with derived names [mapping 2.1], bound once. Thread: the connection's event loop.
 */
final class Subscriptions {
    private static final String NON_DURABLE = "amq.sub:";
    private static final String DURABLE = "amq.sub:d:";
    private static final int NAME_BYTES_MAX = 255;
    private static final String UNRESERVED_MARKS = "_~-";

    private final BrokerSession broker;
    private final String clientId;
    private final Runnable flushSoon;

    /** @param flushSoon to be called after calls of the broker that no frame has led to */
    Subscriptions(BrokerSession broker, String clientId, Runnable flushSoon) {
        this.broker = broker;
        this.clientId = clientId;
        this.flushSoon = flushSoon;
    }

    /** Where a subscription listens. */
    record Topic(String exchange, String key) {
        static Topic of(Address address) {
            return new Topic(NodeTarget.exchange(address), NodeTarget.key(address));
        }
    }

    /** A queue that goes with its consumer; completes with its name. */
    CompletionStage<String> makeNonDurable(Topic topic) {
        String name = NON_DURABLE + UUID.randomUUID();
        return make(new QueueSpec(name, false, true, true, true, Map.of()), topic);
    }

    /**
     * The queue of a durable subscription: made, resumed, or made anew if it listened elsewhere [S-2]; completes with
     * its name, or exceptionally if another consumer is attached to one that would have to be made anew.
     */
    CompletionStage<String> makeDurable(String linkName, Topic topic) {
        String name = durableName(linkName);
        if (broker.queue(name) == null) {
            return make(durable(name), topic);
        }
        if (topic.equals(topicOf(name))) {
            return CompletableFuture.completedFuture(name);
        }
        return broker.deleteQueue(name, true, false)
                .handle((dropped, failure) -> {
                    if (failure != null) {
                        throw AmqpException.link(
                                AmqpError.RESOURCE_LOCKED,
                                "MS-0504 subscription '" + linkName + "' is in use with another topic");
                    }
                    return name;
                })
                .thenCompose(gone -> make(durable(name), topic));
    }

    private static QueueSpec durable(String name) {
        return new QueueSpec(name, true, false, false, true, Map.of());
    }

    private CompletionStage<String> make(QueueSpec spec, Topic topic) {
        BindingSpec binding = new BindingSpec(topic.exchange(), spec.name(), true, topic.key(), Map.of());
        CompletionStage<QueueInfo> declared = broker.declareQueue(spec);
        flushSoon.run();
        return declared.thenCompose(made -> {
            CompletionStage<@Nullable Void> bound = broker.bind(binding);
            flushSoon.run();
            return bound.whenComplete((done, failure) -> {
                        if (failure != null) {
                            drop(spec.name());
                        }
                    })
                    .thenApply(done -> spec.name());
        });
    }

    /** Nobody will consume from this one; failure means that it is gone already. */
    void drop(String queue) {
        broker.deleteQueue(queue, false, false);
        flushSoon.run();
    }

    /** Name of a durable subscription's queue; the subscription is the link name up to the first {@code |}. */
    String durableName(String linkName) {
        int bar = linkName.indexOf('|');
        String subscription = bar < 0 ? linkName : linkName.substring(0, bar);
        String variable = encode(clientId) + ":" + encode(subscription);
        if (DURABLE.length() + variable.length() > NAME_BYTES_MAX) {
            variable = "~" + digest(variable);
        }
        return DURABLE + variable;
    }

    /** Where the subscription queue listens, or null if it is bound nowhere. */
    @Nullable
    Topic topicOf(String queue) {
        List<BindingSpec> bindings = broker.bindingsOf(queue);
        for (BindingSpec binding : bindings) {
            if (!binding.source().isEmpty()) {
                return new Topic(binding.source(), binding.key());
            }
        }
        return null;
    }

    /** {@code E(x)}: every byte but unreserved ones percent-encoded, {@code .} and {@code :} too. */
    static String encode(String text) {
        StringBuilder encoded = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = c < 0x80 && (Character.isLetterOrDigit(c) || UNRESERVED_MARKS.indexOf(c) >= 0);
            if (plain) {
                encoded.append(c);
            } else {
                encoded.append('%')
                        .append(Character.toUpperCase(Character.forDigit(c >> 4, 16)))
                        .append(Character.toUpperCase(Character.forDigit(c & 0xf, 16)));
            }
        }
        return encoded.toString();
    }

    private static String digest(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }
}
