package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Packet;
import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.BinaryReader;
import io.mainstem.routing.message.BinaryWriter;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A subscription that takes turns with others on one queue: {@code $share/group/filter} [S-4], or {@code $queues/name}
 * . Its record is on disk: {@code u8 version = 1, text filter, u8 qos, u8 retain as published, varint id}.
 *
 * @param filter as the client wrote it
 * @param qos at most 1: a message of QoS 2 would have to stay with the member that has it
 */
record QueueSubscription(String filter, int qos, boolean retainAsPublished, int subscriptionId) {
    private static final int VERSION = 1;
    private static final String SHARE = "$share/";

    /** Null if the filter is neither, or is malformed. */
    static @Nullable QueueSubscription of(Packet.Filter filter, int subscriptionId) {
        boolean known = Topics.queue(filter.text()) != null || isShared(filter.text());
        return known
                ? new QueueSubscription(
                        filter.text(), Math.min(1, filter.qos()), filter.retainAsPublished(), subscriptionId)
                : null;
    }

    static QueueSubscription decode(byte[] value) {
        BinaryReader in = new BinaryReader(value);
        in.number(VERSION);
        return new QueueSubscription(in.text(), in.u8(), in.u8() == 1, in.number(Integer.MAX_VALUE));
    }

    byte[] encode() {
        return new BinaryWriter(64)
                .u8(VERSION)
                .text(filter)
                .u8(qos)
                .u8(retainAsPublished ? 1 : 0)
                .varint(subscriptionId)
                .toByteArray();
    }

    /** {@code $share/name/filter}, the name without wildcards and not empty [MQTT-4.8.2-1], [MQTT-4.8.2-2]. */
    static boolean isShared(String text) {
        if (!text.startsWith(SHARE)) {
            return false;
        }
        int slash = text.indexOf('/', SHARE.length());
        return slash > SHARE.length()
                && Topics.isName(text.substring(SHARE.length(), slash))
                && Topics.isFilter(text.substring(slash + 1));
    }

    boolean shared() {
        return filter.startsWith(SHARE);
    }

    private String group() {
        return filter.substring(SHARE.length(), filter.indexOf('/', SHARE.length()));
    }

    private String topicFilter() {
        return filter.substring(filter.indexOf('/', SHARE.length()) + 1);
    }

    /** The queue that the members take turns on. */
    String queue() {
        String named = Topics.queue(filter);
        return named == null ? Names.sharedQueue(group(), topicFilter()) : named;
    }

    /** Names the filter in keys of records. */
    String key() {
        return Names.digest(filter);
    }

    /**
     * Of all members, kept ones and others, whoever comes first: it goes with the last of those that are connected, unless
     * one that is away is a member, too.
     */
    QueueSpec groupQueue(SessionQueuePolicy policy) {
        Map<String, Object> arguments = new HashMap<>(policy.arguments());
        arguments.put("x-kept-by", SessionStore.groupMembers(this));
        return new QueueSpec(queue(), true, true, false, true, arguments);
    }

    /** The same for all members: what each is granted counts when it is sent. */
    BindingSpec groupBinding() {
        return new Subscription(topicFilter(), 2, false, false, 0).binding(queue(), "");
    }
}
