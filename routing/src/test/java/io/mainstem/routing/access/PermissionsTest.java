package io.mainstem.routing.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.SectionOffsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which permission each deed needs. */
final class PermissionsTest {
    private static final QueueSpec SUBSCRIPTION = new QueueSpec("amq.sub:d:x", true, false, false, true, Map.of());
    private static final QueueSpec TEMPORARY = new QueueSpec("amq.tmp:x", false, false, true, true, Map.of());

    private AccessPolicy policy = AccessPolicy.OPEN;

    private static AccessPolicy alice(String... rules) {
        return AccessPolicy.of(
                Map.of("alice", Arrays.stream(rules).map(AccessRule::parse).toList()));
    }

    private Permissions of(String user, String protocol) {
        return new Permissions(() -> policy, new ClientInfo("/", "client", user, "peer", protocol));
    }

    private Permissions with(String... rules) {
        policy = alice(rules);
        return of("alice", "amqp-1.0");
    }

    private static Envelope to(String exchange, String... keys) {
        return new Envelope(
                exchange,
                List.of(keys),
                false,
                -1,
                0,
                -1,
                0,
                0,
                "p",
                null,
                Envelope.Origin.AMQP_1_0,
                0,
                false,
                SectionOffsets.NONE,
                List.of());
    }

    private static QueueSpec queue(String name, Map<String, Object> arguments) {
        return new QueueSpec(name, true, false, false, false, arguments);
    }

    private static BindingSpec binding(String source, String destination, String key) {
        return new BindingSpec(source, destination, true, key, Map.of());
    }

    private static void assertAllowed(Runnable deed) {
        assertThatCode(deed::run).doesNotThrowAnyException();
    }

    private static void assertRefused(Runnable deed, String... texts) {
        BrokerException refused = catchThrowableOfType(BrokerException.class, deed::run);
        assertThat(refused).as("was allowed").isNotNull().hasMessageContaining("fix:");
        assertThat(texts).allSatisfy(text -> assertThat(refused).hasMessageContaining(text));
        assertThat(refused.kind()).isEqualTo(ErrorKind.ACCESS_REFUSED);
        assertThat(refused.code()).isEqualTo("MS-0370");
    }

    @Test
    void withoutUsersEverythingIsAllowed() {
        Permissions anyone = of(null, "amqp-1.0");

        assertAllowed(() -> anyone.requirePublish(to("amq.topic", "a")));
        assertAllowed(() -> anyone.requireAdministration("close connections"));
    }

    @Test
    void aRefusalTellsWhoWhatOnWhatAndWhy() {
        Permissions alice = with("deny write queue pay", "allow write queue *");

        assertRefused(
                () -> alice.requirePublish(to("", "pay")),
                "user 'alice' may not write queue 'pay' in virtual host '/': rule 'deny write queue pay' decides.");
        assertRefused(
                () -> alice.requirePublish(to("amq.topic", "a.b")),
                "user 'alice' may not write topic 'a.b' in virtual host '/': no rule allows it.");
    }

    @Test
    void anMqttClientIsToldItsOwnText() {
        policy = alice();

        assertRefused(() -> of("alice", "mqtt-5.0").requirePublish(to("amq.topic", "a.b*")), "write topic 'a/b+'");
    }

    @Test
    void whoSaysNoNameHasThePermissionsOfAnonymous() {
        policy = AccessPolicy.of(Map.of("anonymous", List.of(AccessRule.parse("allow read queue news"))));

        assertAllowed(() -> of(null, "amqp-1.0").requireOnQueue(Action.READ, "news", null, List.of()));
        assertRefused(
                () -> of(null, "amqp-1.0").requirePublish(to("", "news")),
                "user 'anonymous' may not write queue 'news'");
    }

    @Test
    void publishingNeedsWriteOnQueueTopicOrExchangeForEveryKey() {
        Permissions alice = with("allow write queue q", "allow write topic t.#", "allow write exchange x");

        assertAllowed(() -> alice.requirePublish(to("", "q")));
        assertAllowed(() -> alice.requirePublish(to("amq.topic", "t.1")));
        assertAllowed(() -> alice.requirePublish(to("x", "whatever")));
        assertRefused(() -> alice.requirePublish(to("", "other")));
        assertRefused(() -> alice.requirePublish(to("amq.topic", "u")));
        assertRefused(() -> alice.requirePublish(to("amq.fanout", "q")));
        assertRefused(() -> alice.requirePublish(to("", "q", "other")), "'other'");
    }

    @Test
    void whoKnowsATemporaryNodeMayReplyToIt() {
        Permissions alice = with();

        assertAllowed(() -> alice.requirePublish(to("", "amq.tmp:client:1")));
        assertAllowed(() -> alice.requirePublish(to("amq.topic", "amq.tmp.1")));
        assertAllowed(() -> alice.requireDeclare(TEMPORARY));
        assertAllowed(() -> alice.requireOnQueue(Action.READ, TEMPORARY.name(), TEMPORARY, List.of()));
    }

    @Test
    void declaringNeedsConfigureAndWriteWhereWhatIsLeftOverGoes() {
        Permissions alice = with("allow configure queue *", "allow configure exchange *", "allow write queue dead");

        assertAllowed(() -> alice.requireDeclare(queue("q", Map.of())));
        assertAllowed(() -> alice.requireDeclare(
                queue("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"))));
        assertRefused(
                () -> alice.requireDeclare(
                        queue("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "pay"))),
                "write queue 'pay'");
        assertRefused(
                () -> alice.requireDeclare(queue("q", Map.of("x-dead-letter-exchange", "amq.topic"))),
                "write topic '#'");
        assertRefused(() -> alice.requireDeclare(queue("q", Map.of("x-dead-letter-exchange", ""))), "write queue '#'");
        assertRefused(
                () -> alice.requireDeclare(new ExchangeSpec(
                        "x", ExchangeType.DIRECT, true, false, false, Map.of("alternate-exchange", ""))),
                "write queue '#'");
        assertRefused(
                () -> alice.requireDeclare(new ExchangeSpec(
                        "x", ExchangeType.DIRECT, true, false, false, Map.of("alternate-exchange", "audit"))),
                "write exchange 'audit'");
        assertRefused(() -> with("allow read queue *").requireDeclare(queue("q", Map.of())), "configure queue 'q'");
    }

    @Test
    void bindingNeedsReadOnTheSourceAndWriteOnTheDestination() {
        Permissions alice = with("allow read topic a.#", "allow write queue q");

        assertAllowed(() -> alice.requireBind(binding("amq.topic", "q", "a.b"), queue("q", Map.of())));
        assertRefused(() -> alice.requireBind(binding("amq.topic", "q", "#"), queue("q", Map.of())), "read topic '#'");
        assertRefused(() -> alice.requireBind(binding("amq.topic", "r", "a"), queue("r", Map.of())), "write queue 'r'");
        assertRefused(() -> alice.requireBind(binding("amq.fanout", "q", "a"), null), "read exchange 'amq.fanout'");
        assertAllowed(() -> alice.requireBind(binding("amq.topic", "amq.sub:x", "a"), SUBSCRIPTION));
    }

    @Test
    void aSubscriptionIsAsReadableAsWhatItListensTo() {
        Permissions alice = with("allow read topic a.#", "allow read queue *");

        assertAllowed(() -> alice.requireOnQueue(
                Action.READ, SUBSCRIPTION.name(), SUBSCRIPTION, List.of(binding("amq.topic", "amq.sub:d:x", "a.b"))));
        assertRefused(
                () -> alice.requireOnQueue(
                        Action.READ,
                        SUBSCRIPTION.name(),
                        SUBSCRIPTION,
                        List.of(binding("amq.topic", "amq.sub:d:x", "b"))),
                "read topic 'b'");
    }

    @Test
    @DisplayName("ADR 0028: another user's subscription takes a rule that names such queues, whatever its topics")
    void anotherUsersSubscription() {
        QueueSpec bobs = SUBSCRIPTION.ownedBy("bob");
        List<BindingSpec> bindings = List.of(binding("amq.topic", bobs.name(), "a.b"));
        Permissions alice = with("allow read,write", "allow read queue *", "allow write queue *");

        for (Action action : Action.values()) {
            assertRefused(
                    () -> alice.requireOnQueue(action, bobs.name(), bobs, bindings),
                    "queue 'amq.sub:d:x'",
                    "it belongs to user 'bob', and no rule allows others its name.",
                    "allow read queue amq.sub:d:x");
        }
        assertRefused(() -> alice.requireOwn(bobs, bindings), "belongs to user 'bob'");
        assertRefused(() -> alice.requireBind(bindings.get(0), bobs), "write queue 'amq.sub:d:x'");
        assertRefused(() -> alice.requirePublish(to("", bobs.name())), "write queue 'amq.sub:d:x'");
        assertThat(alice.maySee(bobs.name(), bobs, bindings)).isFalse();

        Permissions operator = with("allow read queue amq.sub:*");
        assertAllowed(() -> operator.requireOnQueue(Action.READ, bobs.name(), bobs, bindings));
        assertRefused(
                () -> with("deny read queue amq.sub:d:*", "allow read queue amq.*")
                        .requireOnQueue(Action.READ, bobs.name(), bobs, bindings),
                "rule 'deny read queue amq.sub:d:*' decides.");
        assertAllowed(() -> with("allow all").requireOnQueue(Action.READ, bobs.name(), bobs, bindings));
    }

    @Test
    @DisplayName("ADR 0028: one's own subscription needs no rule for its name")
    void onesOwnSubscription() {
        QueueSpec own = SUBSCRIPTION.ownedBy("alice");
        List<BindingSpec> bindings = List.of(binding("amq.topic", own.name(), "a.b"));
        Permissions alice = with("allow read topic a.#");

        assertAllowed(() -> alice.requireOnQueue(Action.READ, own.name(), own, bindings));
        assertAllowed(() -> alice.requireOwn(own, bindings));
        assertAllowed(() -> alice.requireOnQueue(Action.READ, own.name(), own, List.of()));
        assertThat(alice.maySee(own.name(), own, bindings)).isTrue();
        assertRefused(
                () -> with("allow read topic b.#").requireOnQueue(Action.READ, own.name(), own, bindings),
                "read topic 'a.b'");
    }

    @Test
    void aChangedPolicyCountsFromTheNextDeedOn() {
        Permissions alice = with("allow write queue q");
        assertAllowed(() -> alice.requirePublish(to("", "q")));

        policy = alice("allow read queue q");
        assertRefused(() -> alice.requirePublish(to("", "q")));

        policy = alice("allow all");
        assertAllowed(() -> alice.requirePublish(to("", "q")));

        policy = AccessPolicy.of(Map.of());
        assertRefused(() -> alice.requirePublish(to("", "q")), "no rule allows it");
    }

    @Test
    void rulesAreAskedInOrderAndOnlyThoseOfTheVirtualHost() {
        Permissions alice = with("allow all on /other", "allow write queue a*", "deny write queue ab*", "deny all");

        assertAllowed(() -> alice.requirePublish(to("", "abc")));
        assertRefused(() -> alice.requirePublish(to("", "b")), "rule 'deny all' decides");
        assertRefused(() -> alice.requireAdministration("close connections"), "configure broker 'close connections'");
    }
}
