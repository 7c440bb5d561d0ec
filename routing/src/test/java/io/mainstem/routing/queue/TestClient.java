package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.Broker;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A connection with its own event loop, driven step by step from a test. */
final class TestClient implements AutoCloseable {
    private static final int SECONDS_MAX = 60;

    private final ExecutorService eventLoop = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "test-event-loop");
        thread.setDaemon(true);
        return thread;
    });
    private final BrokerSession session;

    TestClient(Broker broker) {
        this(broker, "client");
    }

    TestClient(Broker broker, String clientId) {
        this(broker, clientId, null);
    }

    /** @param user null = anonymous */
    TestClient(Broker broker, String clientId, @Nullable String user) {
        this.session =
                onLoop(() -> broker.connect(new ClientInfo("/", clientId, user, "127.0.0.1:1", "test"), eventLoop));
    }

    /** Runs on the event loop, as heads do. */
    <T> T onLoop(Supplier<T> call) {
        return get(CompletableFuture.supplyAsync(call, eventLoop));
    }

    BrokerSession session() {
        return session;
    }

    static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(SECONDS_MAX, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException refusal) {
                throw refusal;
            }
            throw new AssertionError(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("no answer within " + SECONDS_MAX + " s", e);
        }
    }

    /** Asks the session something and waits for the answer. */
    <T> T ask(Function<BrokerSession, CompletionStage<T>> request) {
        return get(asked(request));
    }

    /** Asks the session something. */
    <T> CompletionStage<T> asked(Function<BrokerSession, CompletionStage<T>> request) {
        return onLoop(() -> {
            CompletionStage<T> stage = request.apply(session);
            session.flush();
            return stage;
        });
    }

    QueueInfo declare(QueueSpec spec) {
        return ask(session -> session.declareQueue(spec));
    }

    QueueInfo declare(String name) {
        return declare(QueueSpec.durable(name));
    }

    QueueInfo declare(String name, Map<String, Object> arguments) {
        return declare(new QueueSpec(name, true, false, false, false, arguments));
    }

    void bind(String exchange, String queue, String key) {
        ask(session -> session.bind(new BindingSpec(exchange, queue, true, key, Map.of())));
    }

    long delete(String queue) {
        return ask(session -> session.deleteQueue(queue, false, false));
    }

    long purge(String queue) {
        return ask(session -> session.purgeQueue(queue));
    }

    /** Publishes all and waits for all answers. */
    List<PublishResult> publish(List<Message> messages) {
        List<CompletableFuture<PublishResult>> answers = new ArrayList<>();
        onLoop(() -> {
            for (Message message : messages) {
                CompletableFuture<PublishResult> answer = new CompletableFuture<>();
                answers.add(answer);
                session.publish(message, answers.size(), (tag, result) -> answer.complete(result));
            }
            session.flush();
            return true;
        });
        return answers.stream().map(TestClient::get).toList();
    }

    PublishResult publish(Message message) {
        return publish(List.of(message)).get(0);
    }

    /** Publishes durable messages with these texts to a queue, and expects them stored. */
    void send(String queue, String... texts) {
        List<Message> messages = new ArrayList<>();
        for (String text : texts) {
            messages.add(Messages.durable(queue, text));
        }
        assertThat(publish(messages)).allSatisfy(result -> assertThat(result).isInstanceOf(PublishResult.Stored.class));
    }

    TestConsumer consume(String queue) {
        return consume(queue, new ConsumerSpec("c", false, false, false, 0, Outcome.FAILED));
    }

    TestConsumer consume(String queue, ConsumerSpec spec) {
        TestConsumer consumer = new TestConsumer(this);
        ConsumerHandle handle = ask(session -> session.consume(queue, spec, consumer));
        consumer.attached(handle);
        return consumer;
    }

    /**
     * Everything asked before has had its effect, and the event loop has seen it: the answer to a request comes behind
     * it, twice because a record may be on its way in between.
     */
    void sync() {
        for (int times = 0; times < 3; times++) {
            declare(new QueueSpec("sync", true, false, false, false, Map.of()));
        }
        ask(session -> session.deleteQueue("sync", false, false));
        onLoop(() -> true);
    }

    /** What is said when a request is refused. */
    static String refusalText(Runnable request) {
        try {
            request.run();
        } catch (BrokerException refusal) {
            return String.valueOf(refusal.getMessage());
        }
        throw new AssertionError("was not refused");
    }

    /** The error kind with which a request is refused. */
    static ErrorKind refusal(Runnable request) {
        try {
            request.run();
        } catch (BrokerException refusal) {
            return refusal.kind();
        }
        throw new AssertionError("was not refused");
    }

    @Override
    public void close() {
        onLoop(() -> {
            session.close();
            return true;
        });
        eventLoop.shutdown();
    }
}
