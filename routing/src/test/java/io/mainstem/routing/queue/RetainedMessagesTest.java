package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.RetainedTopics;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.PublishId;
import io.mainstem.routing.message.SectionOffsets;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.shard.SteppedStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** [S-10] How many retained messages there may be, how they are looked at, and when they go. */
final class RetainedMessagesTest {
    private static final long NEVER = 0;

    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private RetainedTopics retained() {
        return client.session().retained();
    }

    private void crash() {
        broker.crash();
        client = broker.client();
    }

    @Test
    @DisplayName("[S-10] pages together show each message once, in order, and the last page says that it is the last")
    void pages() {
        client.publish(IntStream.range(0, 25)
                .mapToObj(i -> message(String.format("a.%02d", i), NEVER))
                .toList());
        client.publish(message("b", NEVER));
        List<String> seen = new ArrayList<>();
        int calls = 0;
        for (String after = ""; after != null; calls++) {
            after = page("a.", after, 10, key -> !key.equals("a.07"), 0, seen);
        }
        assertThat(calls).isEqualTo(3);
        assertThat(seen).hasSize(24).isSorted().doesNotHaveDuplicates().doesNotContain("a.07", "b");
    }

    @Test
    @DisplayName("[S-10] what one page looks at is bounded, also where little is wanted")
    void pagesAreBounded() {
        client.publish(IntStream.range(0, 200)
                .mapToObj(i -> message(String.format("a.%03d", i), NEVER))
                .toList());
        List<Integer> looks = new ArrayList<>();
        int calls = 0;
        for (String after = ""; after != null; calls++) {
            int[] looked = new int[1];
            after = page("", after, 1, key -> looked[0]++ < 0, 0, new ArrayList<>());
            looks.add(looked[0]);
        }
        assertThat(calls).isGreaterThan(1);
        assertThat(looks).allMatch(looked -> looked <= 32);
    }

    @Test
    @DisplayName("[S-12] one retained message too many is refused; a topic that has one may get another one, or none")
    void count() {
        retained().limit(2, Long.MAX_VALUE);
        client.publish(List.of(message("a", NEVER), message("b", NEVER)));
        assertThat(client.publish(message("c", NEVER)))
                .isInstanceOfSatisfying(
                        PublishResult.Refused.class,
                        refused -> assertThat(refused.kind()).isEqualTo(ErrorKind.RESOURCE_LIMIT));
        assertThat(client.publish(message("a", NEVER))).isNotInstanceOf(PublishResult.Refused.class);
        client.publish(empty("a"));
        assertThat(client.publish(message("c", NEVER))).isNotInstanceOf(PublishResult.Refused.class);
        assertThat(retained().count()).isEqualTo(2);
    }

    @Test
    @DisplayName("[S-12] a burst in one write does not pass the limit: what is on its way counts, and only so long")
    void burst() {
        retained().limit(2, Long.MAX_VALUE);
        List<Message> burst =
                IntStream.range(0, 10).mapToObj(i -> message("t" + i, NEVER)).toList();
        assertThat(client.publish(burst))
                .filteredOn(PublishResult.Refused.class::isInstance)
                .hasSize(8);
        assertThat(retained().count()).isEqualTo(2);
        retained().limit(100, retained().bytes());
        List<Message> again =
                IntStream.range(0, 10).mapToObj(i -> message("t1", NEVER)).toList();
        assertThat(client.publish(again)).noneMatch(PublishResult.Refused.class::isInstance);
        client.publish(List.of(empty("t0"), empty("t1")));
        assertThat(client.publish(message("t0", NEVER))).isNotInstanceOf(PublishResult.Refused.class);
        assertThat(client.publish(message("t1", NEVER))).isNotInstanceOf(PublishResult.Refused.class);
    }

    @Test
    @DisplayName("[S-10] the bytes of a retained message are on the heap once: those of the store's image")
    void bytesAreShared() {
        SteppedStore stepped = new SteppedStore(new SimDisk(), InstantSource.system());
        MeanwhileStore others = new MeanwhileStore(stepped);
        RetainedMessages retained = new RetainedMessages("/", others.store());
        others.publish(retained, message("a", NEVER));
        assertThat(retained.value("a"))
                .isNotNull()
                .isSameAs(stepped.store().meta().firstEntry().getValue());
        stepped.store().close();
    }

    @Test
    @DisplayName(
            "[S-12] retained messages are refused where their bytes are too many, and what they take is known after a"
                    + " crash")
    void bytes() {
        client.publish(message("a", NEVER));
        long one = retained().bytes();
        retained().limit(100, 2 * one);
        client.publish(message("b", NEVER));
        assertThat(client.publish(message("c", NEVER))).isInstanceOf(PublishResult.Refused.class);
        crash();
        assertThat(retained().bytes()).isEqualTo(2 * one);
        assertThat(retained().count()).isEqualTo(2);
        client.publish(List.of(empty("a"), empty("b")));
        assertThat(retained().bytes()).isZero();
    }

    @Test
    @DisplayName("[S-10] what has expired is taken away for good, and nothing else")
    void expiry() {
        client.publish(List.of(message("a", 1000), message("b", 2000), message("c", NEVER)));
        List<String> seen = new ArrayList<>();
        page("", "", 10, key -> true, 1000, seen);
        assertThat(seen).containsExactly("b", "c");

        assertThat(retained().expire(1000, 10)).isEqualTo(1);
        client.ask(session -> session.barrier());
        client.publish(message("d", NEVER));
        assertThat(retained().count()).isEqualTo(3);
        crash();
        assertThat(retained().count()).isEqualTo(3);
        assertThat(retained().expire(Long.MAX_VALUE, 10)).isEqualTo(1);
        assertThat(retained().expire(999, 10)).isZero();
    }

    @Test
    @DisplayName("[S-10] a message that is published to an expired one's topic in the meantime stays")
    void expiryDoesNotTakeWhatComesBehind() {
        client.publish(message("a", 1000));
        client.session().publish(message("a", NEVER), 0, (tag, result) -> {});
        assertThat(retained().expire(2000, 10)).isZero();
        client.session().flush();
        client.publish(message("z", NEVER));
        List<String> seen = new ArrayList<>();
        page("", "", 10, key -> true, 2000, seen);
        assertThat(seen).containsExactly("a", "z");
    }

    @Test
    @DisplayName(
            "[S-10] a message that is published while expired ones are taken away is not taken in place of the one before")
    void expiryTakesNoOtherMessage() {
        SteppedStore stepped = new SteppedStore(new SimDisk(), InstantSource.system());
        MeanwhileStore meanwhile = new MeanwhileStore(stepped);
        RetainedMessages retained = new RetainedMessages("/", meanwhile.store());
        meanwhile.publish(retained, message("a", 1000));
        meanwhile.publish(retained, message("b", 1000));
        meanwhile.onNextSubmit(() -> meanwhile.publish(retained, message("b", NEVER)));

        assertThat(retained.expire(2000, 10)).isEqualTo(1);
        meanwhile.settle();

        List<String> left = new ArrayList<>();
        retained.page(
                RetainedTopics.Look.now("", key -> true),
                "",
                10,
                0,
                (message, version) -> left.add(message.envelope().routingKey()));
        assertThat(left).containsExactly("b");
        assertThat(stepped.store().meta().keySet()).hasSize(1);
        stepped.store().close();
    }

    @Test
    @DisplayName("[S-10] a message with a publish id is retained though nobody listens to its topic, and once only")
    void withAPublishId() {
        Message named = message("a", NEVER);
        named = new Message(named.envelope(), named.sections(), new PublishId.Name("one"));
        assertThat(client.publish(named)).isInstanceOf(PublishResult.Unroutable.class);
        assertThat(retained().count()).isEqualTo(1);
        client.publish(empty("a"));
        assertThat(client.publish(named)).isEqualTo(new PublishResult.Stored(0));
        assertThat(retained().count()).isZero();
        assertThat(TestClient.get(retained().settled(3))).isEqualTo(3);
    }

    @Test
    @DisplayName("[S-12] whoever waits for what is on its way does not wait for publishes that were refused")
    void refusedOnesAreOver() {
        client.declare("full", Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
        client.bind("amq.topic", "full", "a");
        client.publish(message("a", NEVER));
        client.sync();
        assertThatThrownBy(() -> client.publish(message("a", NEVER))).isInstanceOf(BrokerException.class);
        retained().limit(0, 0);
        client.publish(List.of(message("b", NEVER), message("c", NEVER)));
        assertThat(TestClient.get(retained().settled(4))).isEqualTo(4);
    }

    private @Nullable String page(
            String prefix, String after, int limit, Predicate<String> wanted, long nowMs, List<String> seen) {
        return retained()
                .page(
                        RetainedTopics.Look.now(prefix, wanted),
                        after,
                        limit,
                        nowMs,
                        (message, version) -> seen.add(message.envelope().routingKey()));
    }

    /** With a body of one byte. */
    static Message message(String key, long expireAtMs) {
        return message(key, expireAtMs, new byte[] {0, 0x53, 0x75, (byte) 0xa0, 1, 'x'});
    }

    private static Message empty(String key) {
        return message(key, NEVER, new byte[] {0, 0x53, 0x75, (byte) 0xa0, 0});
    }

    private static Message message(String key, long expireAtMs, byte[] section) {
        return new Message(
                new Envelope(
                        "amq.topic",
                        List.of(key),
                        true,
                        -1,
                        1,
                        expireAtMs == NEVER ? -1 : expireAtMs,
                        expireAtMs,
                        0,
                        "",
                        null,
                        Envelope.Origin.MQTT_5,
                        1,
                        true,
                        new SectionOffsets(-1, -1, -1, 0, -1, 0x75),
                        List.of()),
                List.of(section));
    }
}
