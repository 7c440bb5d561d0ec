package io.mainstem.mqtt;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.HeadRecord;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Where the parts of one session lie: its queue, its record, and the packet ids whose exchange is not over. Keys are on
 * disk and never change their form. Thread: that of the broker session.
 *
 * <pre>
 *  mqtt/session/K       the session, see {@link SessionRecord}
 *  mqtt/in/K/(id)       a publish of QoS 2 that was stored and not released yet [T-1]
 *  mqtt/out/K/(id)      a delivery of QoS 2 that the client has received: PUBREL until PUBCOMP
 *  mqtt/member/K/F      a shared or queue subscription, see {@link QueueSubscription}
 *  mqtt/group/F/K       the same by its group, which ends with its last member
 * </pre>
 *
 * {@code F} is a digest of the filter, {@code K} is the encoded client id, see {@link Names#key}.
 */
final class SessionStore {
    static final String SESSIONS = "mqtt/session/";
    static final String MEMBER = "mqtt/member/";
    static final String GROUP = "mqtt/group/";
    private static final byte[] THERE = {1};

    private final BrokerSession broker;
    private final String clientId;
    private final String key;

    SessionStore(BrokerSession broker, String clientId) {
        this.broker = broker;
        this.clientId = clientId;
        this.key = Names.key(clientId);
    }

    String queue() {
        return Names.sessionQueue(clientId);
    }

    HeadRecord received(int packetId) {
        return new HeadRecord("mqtt/in/" + key + "/" + packetId, THERE);
    }

    HeadRecord released(int packetId) {
        return HeadRecord.delete("mqtt/in/" + key + "/" + packetId);
    }

    HeadRecord releasing(int packetId) {
        return new HeadRecord("mqtt/out/" + key + "/" + packetId, THERE);
    }

    HeadRecord completed(int packetId) {
        return HeadRecord.delete("mqtt/out/" + key + "/" + packetId);
    }

    HeadRecord session(SessionRecord record) {
        return new HeadRecord(SESSIONS + key, record.encode());
    }

    /** Publishes of QoS 2 that the client has not released. */
    CompletionStage<Set<Integer>> receivedIds() {
        return ids("mqtt/in/" + key + "/");
    }

    /** Deliveries of QoS 2 that the client has not completed. */
    CompletionStage<Set<Integer>> releasingIds() {
        return ids("mqtt/out/" + key + "/");
    }

    private CompletionStage<Set<Integer>> ids(String prefix) {
        return broker.records(prefix).thenApply(records -> {
            Set<Integer> ids = new TreeSet<>();
            records.keySet().forEach(each -> ids.add(Integer.parseInt(each.substring(prefix.length()))));
            return ids;
        });
    }

    /**
     * The session's queue; made at its first subscription.
     *
     * @param durable false: it goes with the connection
     */
    CompletionStage<QueueInfo> declareQueue(boolean durable, SessionQueuePolicy policy) {
        QueueSpec spec = new QueueSpec(queue(), durable, false, !durable, true, policy.arguments());
        return broker.declareQueue(spec.ownedBy(broker.owner()));
    }

    /** Shared and queue subscriptions. */
    CompletionStage<List<QueueSubscription>> memberships() {
        return broker.records(MEMBER + key + "/")
                .thenApply(records ->
                        records.values().stream().map(QueueSubscription::decode).toList());
    }

    List<HeadRecord> member(QueueSubscription subscription) {
        return QueueSubscriptions.records(key, subscription, true);
    }

    /** Common beginning of the records of a group's members that are kept. */
    static String groupMembers(QueueSubscription subscription) {
        return GROUP + subscription.key() + "/";
    }

    /** Ends a membership, and the group's queue if nobody else is a member. */
    CompletionStage<@Nullable Void> leave(QueueSubscription subscription) {
        CompletionStage<@Nullable Void> left = broker.keep(QueueSubscriptions.records(key, subscription, false));
        broker.flush();
        if (!subscription.shared()) {
            return left;
        }
        return left.thenCompose(gone -> {
            var others = broker.records(groupMembers(subscription));
            broker.flush();
            return others.thenCompose(members -> {
                if (!members.isEmpty() || broker.queue(subscription.queue()) == null) {
                    return CompletableFuture.<@Nullable Void>completedFuture(null);
                }
                CompletionStage<@Nullable Void> ended = broker.deleteQueue(subscription.queue(), true, false)
                        .<@Nullable Void>handle((messages, inUse) -> null);
                broker.flush();
                return ended;
            });
        });
    }

    private CompletionStage<@Nullable Void> leaveAll() {
        return memberships()
                .thenCompose(all -> CompletableFuture.allOf(all.stream()
                        .map(each -> leave(each).toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new)));
    }

    /** Ends the session: queue with bindings and messages, packet ids, record. */
    CompletionStage<@Nullable Void> discard() {
        CompletionStage<@Nullable Void> queueGone = broker.queue(queue()) == null
                ? CompletableFuture.completedFuture(null)
                : broker.deleteQueue(queue(), false, false).handle((messages, alreadyGone) -> null);
        CompletionStage<@Nullable Void> recordsGone = receivedIds()
                .thenCombine(releasingIds(), (in, out) -> {
                    List<HeadRecord> gone = new ArrayList<>(in.size() + out.size() + 1);
                    in.forEach(id -> gone.add(released(id)));
                    out.forEach(id -> gone.add(completed(id)));
                    gone.add(HeadRecord.delete(SESSIONS + key));
                    return gone;
                })
                .thenCompose(gone -> {
                    CompletionStage<@Nullable Void> kept = broker.keep(gone);
                    broker.flush();
                    return kept;
                });
        CompletionStage<@Nullable Void> groupsLeft = leaveAll();
        broker.flush();
        return CompletableFuture.allOf(
                queueGone.toCompletableFuture(), recordsGone.toCompletableFuture(), groupsLeft.toCompletableFuture());
    }
}
