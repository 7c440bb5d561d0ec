package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.PublishResult;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes below {@code $SYS} is the broker's own word, by every way that leads to the topics. */
final class BrokerTopicsTest {
    private final TestBroker broker = new TestBroker();
    private TestClient client;
    private TestConsumer watcher;

    @BeforeEach
    void watch() {
        client = broker.client();
        client.declare("watch");
        client.bind("amq.topic", "watch", "$SYS.#");
        watcher = client.consume("watch").credit(10);
    }

    @AfterEach
    void close() {
        broker.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"$SYS", "$SYS.broker.version", "$SYS."})
    void aClientIsRefused(String key) {
        assertThat(TestClient.refusal(
                        () -> client.publish(Messages.to("amq.topic", key).text("forged"))))
                .isEqualTo(ErrorKind.ACCESS_REFUSED);
        assertThat(TestClient.refusal(() -> client.onLoop(() -> {
                    client.session().requirePublish("amq.topic", key);
                    return true;
                })))
                .isEqualTo(ErrorKind.ACCESS_REFUSED);
        PublishResult posted = client.onLoop(() ->
                client.session().begin().publish(Messages.to("amq.topic", key).text("forged")));
        assertThat(posted).isInstanceOf(PublishResult.Refused.class);
    }

    @Test
    void anotherFirstWordIsNobodysOwn() {
        client.bind("amq.topic", "watch", "$SYSTEM.#");

        client.publish(Messages.to("amq.topic", "$SYSTEM.x").text("ordinary"));

        assertThat(watcher.nextText()).isEqualTo("ordinary");
    }

    @Test
    void aDetourOverAnotherExchangeLeadsNowhere() {
        client.ask(session ->
                session.declareExchange(new ExchangeSpec("detour", ExchangeType.FANOUT, true, false, false, Map.of())));
        client.ask(session -> session.bind(new BindingSpec("detour", "amq.topic", false, "", Map.of())));
        client.bind("amq.topic", "watch", "plain");

        assertThat(client.publish(Messages.to("detour", "$SYS.broker.version").text("forged")))
                .isInstanceOf(PublishResult.Unroutable.class);
        client.publish(Messages.to("detour", "plain").text("ordinary"));

        assertThat(watcher.nextText()).isEqualTo("ordinary");
    }

    @Test
    void aDeadLetterIsNoWordOfTheBroker() {
        client.declare("$SYS.broker.version", Map.of("x-dead-letter-exchange", "amq.topic", "x-max-length", 1L));
        client.send("$SYS.broker.version", "forged", "stays");
        broker.awaitDeadLetters();
        client.sync();

        assertThat(watcher.arrived()).isEmpty();
    }

    @Test
    void theBrokerItselfIsHeard() {
        var told = new CompletableFuture<PublishResult>();
        client.onLoop(() -> {
            var self = broker.broker().connectTrusted(new ClientInfo("/", "", null, "self", "test"), Runnable::run);
            self.publish(
                    Messages.to("amq.topic", "$SYS.broker.version").text("1"),
                    List.of(),
                    0,
                    (tag, result) -> told.complete(result));
            self.flush();
            return true;
        });

        assertThat(watcher.nextText()).isEqualTo("1");
    }
}
