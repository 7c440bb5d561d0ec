package io.mainstem.jms.amqp;

import io.mainstem.jms.link.BranchExistsException;
import io.mainstem.jms.link.Coordinator;
import io.mainstem.jms.link.HeuristicException;
import io.mainstem.jms.link.InDoubtException;
import io.mainstem.jms.link.TransactionId;
import io.mainstem.jms.link.UnknownBranchException;
import jakarta.jms.JMSException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.DescribedType;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.transaction.Declare;
import org.apache.qpid.proton.amqp.transaction.Declared;
import org.apache.qpid.proton.amqp.transaction.Discharge;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;

/** Transactions over a coordinator link, attached at the first declare (part 4). Thread: any. */
final class AmqpCoordinator implements Coordinator {
    /** The broker's words for it (docs/protocols/amqp-1.0.md). */
    private static final String DECIDED_HEURISTICALLY = " heuristically by user ";

    private static final Symbol PRECONDITION_FAILED = Symbol.valueOf("amqp:precondition-failed");

    /** The broker rolls a transaction back at its discharge if it has refused a message of it. */
    private static final Symbol REFUSED_ROLLS_BACK = Symbol.valueOf("mainstem:refused-rolls-back");

    private final EngineSession session;
    private final boolean refusedRollsBack;
    private @Nullable CoordinatorLink link;

    /** @param offered what the broker says of itself */
    AmqpCoordinator(EngineSession session, Set<Symbol> offered) {
        this.session = session;
        this.refusedRollsBack = offered.contains(REFUSED_ROLLS_BACK);
    }

    /** Sends a request; completes with the broker's answer. */
    private CompletableFuture<DeliveryState> ask(Object request) {
        CompletableFuture<DeliveryState> answer = new CompletableFuture<>();
        session.run(answer, () -> ask(request, answer));
        return answer;
    }

    private void ask(Object request, CompletableFuture<DeliveryState> answer) {
        CoordinatorLink open = link;
        if (open == null || open.end() != null) {
            open = CoordinatorLink.attach(session);
            link = open;
        }
        open.send(request, answer);
    }

    @Override
    public CompletionStage<TransactionId> declare(byte @Nullable [] globalId) {
        Object request = globalId == null ? new Declare() : new DeclareBranch(globalId);
        return ask(request).thenApply(state -> {
            if (state instanceof Declared declared) {
                return new AmqpTransaction(declared.getTxnId(), globalId == null);
            }
            throw globalId == null ? refused("beginning a transaction", state) : refusedBranch(state);
        });
    }

    @Override
    public CompletionStage<@Nullable Void> discharge(TransactionId transaction, boolean fail) {
        AmqpTransaction ending = (AmqpTransaction) transaction;
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        CompletableFuture<DeliveryState> answer = new CompletableFuture<>();
        session.run(answer, () -> {
            if (fail) {
                ending.lost();
                discharge(ending, answer);
            } else {
                session.write();
                ending.whenAllThere(() -> session.run(answer, () -> discharge(ending, answer)));
            }
        });
        var unused = answer.whenComplete((state, failure) -> {
            if (failure != null) {
                done.completeExceptionally(fail ? unwrapped(failure) : InDoubtException.of(unwrapped(failure)));
            } else if (state instanceof Rejected rejected) {
                done.completeExceptionally(
                        Refusals.of(fail ? "rolling back" : "committing a transaction", rejected.getError()));
            } else {
                done.complete(null);
            }
        });
        return done;
    }

    private void discharge(AmqpTransaction ending, CompletableFuture<DeliveryState> answer) {
        Discharge discharge = new Discharge();
        discharge.setTxnId(ending.id());
        discharge.setFail(ending.hasLost());
        ask(discharge, answer);
    }

    @Override
    public boolean rollsBackWhatItRefuses() {
        return refusedRollsBack;
    }

    @Override
    public void flush() {
        session.flush();
    }

    @Override
    public CompletionStage<@Nullable Void> prepare(TransactionId transaction) {
        return accepted(
                new Request("mainstem:prepare:list", new Binary[] {((AmqpTransaction) transaction).id()}),
                "preparing a branch");
    }

    @Override
    public CompletionStage<@Nullable Void> decide(byte[] globalId, boolean commit) {
        return accepted(
                new Request(
                        commit ? "mainstem:commit:list" : "mainstem:rollback:list",
                        new Binary[] {new Binary(globalId)}),
                commit ? "committing a branch" : "rolling back a branch");
    }

    @Override
    public CompletionStage<@Nullable Void> forget(byte[] globalId) {
        return accepted(
                new Request("mainstem:forget:list", new Binary[] {new Binary(globalId)}), "forgetting a branch");
    }

    private CompletionStage<@Nullable Void> accepted(Request request, String doing) {
        return ask(request).thenApply(state -> {
            if (state instanceof Rejected) {
                throw refused(doing, state);
            }
            return null;
        });
    }

    @Override
    public CompletionStage<List<byte[]>> prepared() {
        return preparedAfter(null, new ArrayList<>());
    }

    private CompletionStage<List<byte[]>> preparedAfter(@Nullable Binary after, List<byte[]> found) {
        Function<DeliveryState, CompletionStage<List<byte[]>>> next = state -> {
            if (state instanceof Declared branch) {
                Binary id = branch.getTxnId();
                byte[] bytes = new byte[id.getLength()];
                ByteBuffer.wrap(id.getArray(), id.getArrayOffset(), id.getLength())
                        .get(bytes);
                found.add(bytes);
                return preparedAfter(id, found);
            }
            if (state instanceof Rejected) {
                throw refused("asking for prepared branches", state);
            }
            return CompletableFuture.completedFuture(found);
        };
        return ask(new Request("mainstem:recover:list", after == null ? new Binary[0] : new Binary[] {after}))
                .thenCompose(next);
    }

    /** There is one precondition of a branch's begin: that nobody uses its name. */
    private static CompletionException refusedBranch(@Nullable DeliveryState state) {
        ErrorCondition error = state instanceof Rejected rejected ? rejected.getError() : null;
        return error != null && PRECONDITION_FAILED.equals(error.getCondition())
                ? new CompletionException(
                        new BranchExistsException("MS-0706 beginning a branch: " + error.getDescription(), "MS-0706"))
                : refused("beginning a branch", state);
    }

    private static CompletionException refused(String doing, @Nullable DeliveryState state) {
        ErrorCondition error = state instanceof Rejected rejected ? rejected.getError() : null;
        if (error != null
                && error.getCondition() != null
                && error.getCondition().toString().equals("amqp:transaction:unknown-id")) {
            return new CompletionException(
                    new UnknownBranchException("MS-0706 " + doing + ": " + error.getDescription(), "MS-0706"));
        }
        JMSException refusal = Refusals.of(doing, error);
        String text = String.valueOf(refusal.getMessage());
        return new CompletionException(
                text.contains(DECIDED_HEURISTICALLY)
                        ? new HeuristicException(text, "MS-0706", text.contains("was committed"))
                        : refusal);
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** A declare with a global id, which proton-j's own type cannot encode as binary. */
    private static final class DeclareBranch extends Request {
        DeclareBranch(byte[] globalId) {
            super("amqp:declare:list", new Binary[] {new Binary(globalId)});
        }
    }

    /** A described list. */
    private static class Request implements DescribedType {
        private final Symbol descriptor;
        private final List<Binary> fields;

        Request(String descriptor, Binary[] fields) {
            this.descriptor = Symbol.valueOf(descriptor);
            this.fields = List.of(fields);
        }

        @Override
        public Object getDescriptor() {
            return descriptor;
        }

        @Override
        public Object getDescribed() {
            return fields;
        }
    }
}
