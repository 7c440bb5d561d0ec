package io.mainstem.routing.queue;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.Branch;
import io.mainstem.routing.BranchId;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.DelayedPage;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.HeadRecord;
import io.mainstem.routing.Policy;
import io.mainstem.routing.PublishListener;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.QueueStatus;
import io.mainstem.routing.TopologyView;
import io.mainstem.routing.Transaction;
import io.mainstem.routing.access.Action;
import io.mainstem.routing.access.Permissions;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.queue.PreparedBranches.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The event loop's end of a session: asks whether the user may do what is asked, and collects it for one batch to the
 * shard; messages go by way of {@link SessionPublishing}. Thread: its event loop, except where a method says shard.
 */
final class ShardSession implements BrokerSession {
    private final Shard shard;
    private final Router router;
    private final Permissions permissions;
    private final SessionPublishing publishing;
    private final SessionTemporaryNodes temporaryNodes;
    private final String virtualHost;
    private final ShardPeer peer;
    private final List<ConsumerLink> links = new ArrayList<>();
    private List<Runnable> tasks = new ArrayList<>();
    private final List<SessionTransaction> transactions = new ArrayList<>(1);
    private long flushes;
    private boolean closed;

    ShardSession(
            Shard shard,
            Router router,
            ClientInfo client,
            Permissions permissions,
            Executor eventLoop,
            long inFlightBytesMax) {
        this.shard = shard;
        this.router = router;
        this.permissions = permissions;
        this.virtualHost = client.virtualHost();
        this.temporaryNodes =
                new SessionTemporaryNodes(this, client, shard.queues().temporaryNodes(virtualHost));
        this.publishing = new SessionPublishing(this, router, permissions, temporaryNodes, eventLoop, inFlightBytesMax);
        this.peer = new ShardPeer(this, client, eventLoop);
        collect(() -> shard.connect(peer));
    }

    Shard shard() {
        return shard;
    }

    /** Its state on the shard; only the shard looks inside. */
    ShardPeer peer() {
        return peer;
    }

    /** Number of flushes so far: what was collected for one flush must not be changed for the next. */
    long flushes() {
        return flushes;
    }

    /** To be done on the shard after the next {@link #flush}. */
    void collect(Runnable task) {
        tasks.add(task);
    }

    @Override
    public void flush() {
        flushes++;
        publishing.flush();
        if (!tasks.isEmpty()) {
            List<Runnable> batch = tasks;
            tasks = new ArrayList<>();
            shard.post(() -> peer.work().add(batch));
        }
        publishing.flushAnswers();
    }

    @Override
    public CompletionStage<@Nullable Void> barrier() {
        return ask(Reply::done);
    }

    @Override
    public @Nullable String user() {
        return peer.client().user();
    }

    @Override
    public @Nullable String owner() {
        return permissions.owner();
    }

    // ---- publishing ------------------------------------------------------------------------------------------

    @Override
    public void publish(Message message, List<HeadRecord> records, long tag, PublishListener listener) {
        publishing.publish(message, records, tag, listener);
    }

    @Override
    public void publishTo(String queue, Message message, long tag, PublishListener listener) {
        publishing.publishTo(queue, message, tag, listener);
    }

    @Override
    public void answerAfterWrite() {
        publishing.answerAfterWrite();
    }

    @Override
    public RetainedMessages retained() {
        return shard.queues().retained(virtualHost);
    }

    @Override
    public void requirePublish(String exchange, String key) {
        permissions.requirePublish(exchange, key);
        temporaryNodes.requireThere(exchange, key);
    }

    @Override
    public void requireRead(String exchange, String key) {
        permissions.requireRead(exchange, key);
        temporaryNodes.requireOwn(exchange, key);
    }

    @Override
    public void requireAdministration(String what) {
        permissions.requireAdministration(what);
    }

    /** How its messages, those of transactions too, get into the log. */
    SessionPublishing publishing() {
        return publishing;
    }

    @Override
    public boolean writable() {
        return publishing.room().writable();
    }

    @Override
    public String blockedReason() {
        return publishing.room().blockedReason();
    }

    @Override
    public void onWritable(Runnable ready) {
        publishing.room().onWritable(ready);
    }

    /** Calls those that wait for room if nothing holds the session back any more. */
    void checkWritable() {
        publishing.room().check();
    }

    /** Says why publishes have to wait, empty = they do not. Thread: shard. */
    void heldBack(String reason) {
        publishing.room().heldBack(reason);
    }

    // ---- transactions ----------------------------------------------------------------------------------------

    @Override
    public Transaction begin() {
        return begin(new SessionTransaction(this, null));
    }

    @Override
    public Branch begin(BranchId id) {
        shard.branches().claim(virtualHost, id);
        return begin(new SessionTransaction(this, id));
    }

    private SessionTransaction begin(SessionTransaction transaction) {
        transactions.add(transaction);
        return transaction;
    }

    @Override
    public CompletionStage<@Nullable Void> commitPrepared(BranchId id) {
        BranchUser by = branchUser();
        return ask(reply -> shard.branches().decide(by, id, Decision.COMMIT, reply));
    }

    @Override
    public CompletionStage<@Nullable Void> rollbackPrepared(BranchId id) {
        BranchUser by = branchUser();
        return ask(reply -> shard.branches().decide(by, id, Decision.ROLLBACK, reply));
    }

    @Override
    public CompletionStage<@Nullable Void> decideHeuristically(BranchId id, boolean commit) {
        BranchUser by = branchUser();
        Decision decision = commit ? Decision.HEURISTIC_COMMIT : Decision.HEURISTIC_ROLLBACK;
        return ask(reply -> shard.branches().decide(by, id, decision, reply));
    }

    @Override
    public CompletionStage<@Nullable Void> forgetBranch(BranchId id) {
        BranchUser by = branchUser();
        return ask(reply -> shard.branches().forget(by, id, reply));
    }

    @Override
    public CompletionStage<List<BranchId>> preparedBranches() {
        BranchUser by = branchUser();
        return ask(reply -> reply.done(shard.branches().prepared(by)));
    }

    /** Asked for each request: what the user may do can change. */
    BranchUser branchUser() {
        return new BranchUser(virtualHost, permissions.user(), permissions.mayAdminister("decide branches"));
    }

    String virtualHost() {
        return virtualHost;
    }

    void ended(SessionTransaction transaction) {
        transactions.remove(transaction);
    }

    /** As {@link SessionPublishing#viaShard}, for a commit. */
    void viaShard(CompletableFuture<@Nullable Void> answered, Runnable commit) {
        if (closed || shard.stopped()) {
            answered.completeExceptionally(stopping());
        } else {
            publishing.viaShard(commit);
        }
    }

    // ---- records of heads -------------------------------------------------------------------------------------

    @Override
    public CompletionStage<@Nullable Void> keep(List<HeadRecord> records) {
        return ask(reply -> shard.records().keep(peer, records, reply));
    }

    @Override
    public CompletionStage<SortedMap<String, byte[]>> records(String prefix) {
        return ask(reply -> reply.done(shard.records().below(peer, prefix)));
    }

    // ---- topology --------------------------------------------------------------------------------------------

    @Override
    public boolean exchangeExists(String exchange) {
        return router.exchangeExists(exchange);
    }

    @Override
    public @Nullable QueueInfo queue(String name) {
        return router.queue(name);
    }

    @Override
    public List<BindingSpec> bindingsOf(String queue) {
        return router.bindingsOf(queue);
    }

    @Override
    public TopologyView topology() {
        return router.view();
    }

    @Override
    public CompletionStage<List<QueueStatus>> status(List<String> queues) {
        List<String> names = queues.stream().filter(this::maySee).toList();
        return ask(reply -> shard.requests().status(peer, names, reply));
    }

    @Override
    public CompletionStage<QueueInfo> declareQueue(QueueSpec spec) {
        return ask(
                () -> {
                    permissions.requireDeclare(spec);
                    requireOwn(spec.name());
                },
                reply -> shard.requests().declareQueue(peer, spec, reply));
    }

    @Override
    public CompletionStage<QueueInfo> declareSubscription(QueueSpec queue, BindingSpec binding) {
        return ask(
                () -> {
                    permissions.requireBind(binding, queue);
                    temporaryNodes.requireOwn(binding);
                    requireOwn(queue.name());
                },
                reply -> shard.requests().declareSubscription(peer, queue, binding, reply));
    }

    @Override
    public CompletionStage<Long> deleteQueue(String name, boolean ifUnused, boolean ifEmpty) {
        return ask(
                () -> requireOnQueue(Action.CONFIGURE, name),
                reply -> shard.requests().deleteQueue(peer, name, ifUnused, ifEmpty, reply));
    }

    @Override
    public CompletionStage<Long> purgeQueue(String name) {
        return ask(
                () -> requireOnQueue(Action.READ, name),
                reply -> shard.requests().purgeQueue(peer, name, reply));
    }

    @Override
    public CompletionStage<@Nullable Void> declareExchange(ExchangeSpec spec) {
        return ask(
                () -> permissions.requireDeclare(spec),
                reply -> shard.requests().declareExchange(peer, spec, reply));
    }

    @Override
    public CompletionStage<@Nullable Void> deleteExchange(String name, boolean ifUnused) {
        return ask(
                () -> permissions.requireDeleteExchange(name),
                reply -> shard.requests().deleteExchange(peer, name, ifUnused, reply));
    }

    @Override
    public CompletionStage<Long> bind(BindingSpec binding) {
        return ask(
                () -> {
                    requireBind(binding);
                    temporaryNodes.requireOwn(binding);
                },
                reply -> shard.requests().bind(peer, binding, reply));
    }

    @Override
    public CompletionStage<@Nullable Void> unbind(BindingSpec binding) {
        return ask(() -> requireBind(binding), reply -> shard.requests().unbind(peer, binding, reply));
    }

    @Override
    public CompletionStage<@Nullable Void> setPolicy(Policy policy) {
        return ask(
                () -> requireAdministration("set policies"),
                reply -> shard.policies().set(peer, policy, reply));
    }

    @Override
    public CompletionStage<@Nullable Void> deletePolicy(String name) {
        return ask(
                () -> requireAdministration("set policies"),
                reply -> shard.policies().delete(peer, name, reply));
    }

    @Override
    public CompletionStage<DelayedPage> delayedMessages(String after, int limit) {
        BranchUser by = delayedUser();
        return ask(reply -> shard.delayed().list(by, after, limit, reply));
    }

    @Override
    public CompletionStage<@Nullable Void> cancelDelayed(String id) {
        BranchUser by = delayedUser();
        return ask(reply -> shard.delayed().cancel(by, id, reply));
    }

    private BranchUser delayedUser() {
        return new BranchUser(virtualHost, permissions.user(), permissions.mayAdminister("list delayed messages"));
    }

    @Override
    public List<Policy> policies() {
        return shard.queues().policies(virtualHost).all();
    }

    @Override
    public SessionTemporaryNodes temporaryNodes() {
        return temporaryNodes;
    }

    // ---- consuming -------------------------------------------------------------------------------------------

    @Override
    public CompletionStage<ConsumerHandle> consume(String queue, ConsumerSpec spec, DeliverySink sink) {
        ConsumerLink link = new ConsumerLink(this, sink, spec.onLoss());
        return ask(
                () -> {
                    requireOnQueue(Action.READ, queue);
                    links.add(link);
                },
                reply -> shard.requests().attach(peer, queue, spec, link, reply));
    }

    /** The consumer has ended. */
    void ended(ConsumerLink link) {
        links.remove(link);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            publishing.close();
            temporaryNodes.close();
            links.forEach(ConsumerLink::sessionClosed);
            links.clear();
            transactions.forEach(SessionTransaction::sessionClosed);
            transactions.clear();
            collect(() -> shard.disconnect(peer));
            flush();
        }
    }

    private boolean maySee(String name) {
        QueueInfo queue = router.queue(name);
        return permissions.maySee(name, queue == null ? null : queue.spec(), router.bindingsOf(name));
    }

    private void requireOnQueue(Action action, String name) {
        QueueInfo queue = router.queue(name);
        List<BindingSpec> bindings = router.bindingsOf(name);
        permissions.requireOnQueue(action, name, queue == null ? null : queue.spec(), bindings);
        if (action == Action.READ && queue != null && queue.spec().system()) {
            bindings.forEach(temporaryNodes::requireOwn);
        }
    }

    private void requireBind(BindingSpec binding) {
        QueueInfo queue = binding.toQueue() ? router.queue(binding.destination()) : null;
        permissions.requireBind(binding, queue == null ? null : queue.spec());
        if (queue != null) {
            requireOwn(queue.spec().name());
        }
    }

    /** The queue of a subscription that is there already must not be another user's. */
    private void requireOwn(String name) {
        QueueInfo queue = router.queue(name);
        if (queue != null && queue.spec().system()) {
            permissions.requireOwn(queue.spec(), router.bindingsOf(name));
        }
    }

    /** @param permitted throws if the session may not ask that */
    private <T extends @Nullable Object> CompletionStage<T> ask(Runnable permitted, Consumer<Reply<T>> request) {
        try {
            permitted.run();
        } catch (BrokerException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        return ask(request);
    }

    /** Collects a request for the shard; what it says completes the stage. */
    <T extends @Nullable Object> CompletionStage<T> ask(Consumer<Reply<T>> request) {
        CompletableFuture<T> future = new CompletableFuture<>();
        if (closed || shard.stopped()) {
            future.completeExceptionally(stopping());
        } else {
            collect(() -> request.accept(new Reply<>(peer.outbox(), future)));
        }
        return future;
    }

    private static BrokerException stopping() {
        return new BrokerException(
                ErrorKind.UNAVAILABLE, "MS-0337", "the session is closed or the broker is stopping.", "connect again.");
    }
}
