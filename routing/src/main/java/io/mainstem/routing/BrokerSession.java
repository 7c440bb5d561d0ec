package io.mainstem.routing;

import io.mainstem.routing.message.Message;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One connection's door to the broker.
 *
 * <p>Thread: the event loop it was opened with, for calls and for callbacks. Nothing here blocks. Calls are collected
 * and handed to the shard by {@link #flush}: heads call it once per read or tick, so that there is one wake-up per
 * batch. Stages complete on the event loop, exceptionally with {@link BrokerException}.
 */
public interface BrokerSession extends AutoCloseable {
    /** Hands everything collected since the last call to the shard, with at most one wake-up. */
    void flush();

    /**
     * Completes when everything collected before has had its effect, and all deliveries and answers that were made up to
     * then have been passed on.
     */
    CompletionStage<@Nullable Void> barrier();

    /** Whom it acts for; null if nobody has logged in. */
    @Nullable
    String user();

    /**
     * Whose the queues are that a head makes for it: the user, or {@code anonymous} where there are users; null where nobody
     * has to say who he is, and what is made is nobody's own.
     */
    @Nullable
    String owner();

    // ---- publishing ------------------------------------------------------------------------------------------

    /**
     * Routes and stores one message. Its envelope names exchange and keys; routing uses the current immutable snapshot
     * on the calling thread. Durable messages are answered when synced, others when queued.
     *
     * @param tag comes back in the answer
     * @param listener told on the event loop; batched
     * @throws BrokerException {@link ErrorKind#NOT_FOUND} if the exchange does not exist, {@link
     *     ErrorKind#ACCESS_REFUSED} if the user may not publish there; nothing stored then
     */
    default void publish(Message message, long tag, PublishListener listener) {
        publish(message, List.of(), tag, listener);
    }

    /**
     * As above, and keeps records of the head with the message: after a crash both are there or none. They are kept, and
     * the answer waits for the disk, also if the message goes nowhere or into memory only.
     *
     * @throws BrokerException {@link ErrorKind#NOT_FOUND} if the exchange does not exist, nothing stored then
     */
    void publish(Message message, List<HeadRecord> records, long tag, PublishListener listener);

    /**
     * From now on durable publishes of this session are answered when they are written, not when they are synced: they
     * survive the end of the process, not that of the machine.
     */
    void answerAfterWrite();

    /**
     * Puts a message into one queue, past all exchanges; unroutable if there is none of that name.
     *
     * @param tag comes back in the answer
     */
    void publishTo(String queue, Message message, long tag, PublishListener listener);

    /** The retained messages of the virtual host [S-10]. */
    RetainedTopics retained();

    /**
     * Asks ahead whether messages with this address may be published, so that a head can refuse a link instead of each of
     * its messages. {@link #publish} asks by itself.
     *
     * @throws BrokerException {@link ErrorKind#ACCESS_REFUSED}, with user, action, object and the rule that decided
     */
    void requirePublish(String exchange, String key);

    /**
     * Asks ahead whether what is published with this address may be read, by a queue that a head makes for it.
     *
     * @param key as in a binding: of {@code amq.topic} it may hold wildcards
     * @throws BrokerException {@link ErrorKind#ACCESS_REFUSED}
     */
    void requireRead(String exchange, String key);

    /**
     * For what only an administrator may do, such as closing the connections of others.
     *
     * @param what such as {@code close connections}, as rules name it
     * @throws BrokerException {@link ErrorKind#ACCESS_REFUSED}
     */
    void requireAdministration(String what);

    /** False while the head should stop reading publishes (grant no credit) from this connection. */
    boolean writable();

    /** Why not {@link #writable}, for people; empty when writable. */
    String blockedReason();

    /** Calls {@code ready} once on the event loop as soon as {@link #writable} is true. */
    void onWritable(Runnable ready);

    /** Begins a transaction of this session; any number may be open at a time. */
    Transaction begin();

    /**
     * Begins a transaction that an outside coordinator decides about.
     *
     * @throws BrokerException {@link ErrorKind#ALREADY_EXISTS} if the virtual host has one of that name
     */
    Branch begin(BranchId id);

    /**
     * Commits a prepared branch, of any session; completes when it is on disk and visible. NOT_FOUND if there is none
     * of that name, LOCKED while an earlier decision is on its way, ACCESS_REFUSED if another user has prepared it and
     * the session's may not administer the broker.
     */
    CompletionStage<@Nullable Void> commitPrepared(BranchId id);

    /** Undoes a prepared branch; what it had settled is redelivered as failed once more. Fails as a commit does. */
    CompletionStage<@Nullable Void> rollbackPrepared(BranchId id);

    /**
     * Decides about a prepared branch without its coordinator, for an operator: from then on the coordinator's own
     * decision fails with PRECONDITION_FAILED (MS-0374), which tells what it came to, until the branch is forgotten.
     * Fails as a commit does.
     */
    CompletionStage<@Nullable Void> decideHeuristically(BranchId id, boolean commit);

    /**
     * Forgets a branch that was decided heuristically; its name may be used again. NOT_FOUND if there is none of that
     * name, PRECONDITION_FAILED if it is prepared still.
     */
    CompletionStage<@Nullable Void> forgetBranch(BranchId id);

    /** Branches of the virtual host that are prepared, or decided heuristically and not forgotten, ascending. */
    CompletionStage<List<BranchId>> preparedBranches();

    // ---- records of heads -------------------------------------------------------------------------------------

    /** Keeps records in one group; completes when they are on disk. Groups of one session keep their order. */
    CompletionStage<@Nullable Void> keep(List<HeadRecord> records);

    /**
     * All records whose key begins with {@code prefix}, as of everything that was kept before.
     *
     * @param prefix not empty
     */
    CompletionStage<SortedMap<String, byte[]>> records(String prefix);

    // ---- topology --------------------------------------------------------------------------------------------

    /** True if the exchange exists now; "" always does. */
    boolean exchangeExists(String exchange);

    /** The queue, or null if there is none of that name now. */
    @Nullable
    QueueInfo queue(String name);

    /**
     * Declares a queue; equal declarations are idempotent, others fail with PRECONDITION_FAILED. Completes when the
     * META record is durable (for durable queues) and the default exchange routes to it.
     */
    CompletionStage<QueueInfo> declareQueue(QueueSpec spec);

    /**
     * Makes a queue whose only binding is this one, in one step: it is made, or found as it is wanted, or dropped with
     * its messages and made anew [S-2]. Completes like {@link #declareQueue}; fails with LOCKED, and then has changed
     * nothing, if a queue that has consumers would have to go.
     */
    CompletionStage<QueueInfo> declareSubscription(QueueSpec queue, BindingSpec binding);

    /** Deletes a queue with its messages; consumers are cancelled with DELETED. Completes with the messages dropped. */
    CompletionStage<Long> deleteQueue(String name, boolean ifUnused, boolean ifEmpty);

    /** Drops all ready messages; completes with their number. */
    CompletionStage<Long> purgeQueue(String name);

    CompletionStage<@Nullable Void> declareExchange(ExchangeSpec spec);

    CompletionStage<@Nullable Void> deleteExchange(String name, boolean ifUnused);

    /**
     * Binds; completes when the binding is on disk and routes.
     *
     * @return the number of the last publish that may have passed the binding by, for {@link RetainedTopics#settled}
     */
    CompletionStage<Long> bind(BindingSpec binding);

    CompletionStage<@Nullable Void> unbind(BindingSpec binding);

    /**
     * Sets a policy of the session's virtual host, in place of one of that name. Completes when it is on disk and in force
     * for all queues. Fails with INVALID_ARGUMENT, RESOURCE_LIMIT, or ACCESS_REFUSED for all but administrators.
     */
    CompletionStage<@Nullable Void> setPolicy(Policy policy);

    /** Deletes a policy; queues are as they were declared then, or as the next policy says. NOT_FOUND if there is none. */
    CompletionStage<@Nullable Void> deletePolicy(String name);

    /** All policies of the virtual host, those first that go before others. */
    List<Policy> policies();

    /**
     * Messages to the session's virtual host that wait for their time, in the order of hours; administrators see all,
     * others those they have published under their name.
     *
     * @param after id of the last one of the page before, or empty
     * @param limit of the page
     */
    CompletionStage<DelayedPage> delayedMessages(String after, int limit);

    /** Cancels one: it is never delivered then. NOT_FOUND if it does not wait any more, or is not the user's. */
    CompletionStage<@Nullable Void> cancelDelayed(String id);

    /** Bindings whose destination is the queue. */
    List<BindingSpec> bindingsOf(String queue);

    /** All that the session's virtual host has declared and is visible now. */
    TopologyView topology();

    /** What is in the queues of these names; those that are gone, or that the user has no right on, are left
     * out. For people: counts move on. */
    CompletionStage<List<QueueStatus>> status(List<String> queues);

    /** Queues and topics that go with this session. */
    TemporaryNodes temporaryNodes();

    // ---- consuming -------------------------------------------------------------------------------------------

    /**
     * Attaches a consumer with no credit. Completes with its handle before the first delivery, or exceptionally with
     * NOT_FOUND or LOCKED.
     */
    CompletionStage<ConsumerHandle> consume(String queue, ConsumerSpec spec, DeliverySink sink);

    /**
     * Ends the session: consumers close, their unsettled deliveries get each consumer's default outcome, exclusive
     * queues of this session go. Answers to publishes still on their way are dropped. Idempotent.
     */
    @Override
    void close();
}
