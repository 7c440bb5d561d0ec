package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import io.mainstem.mqtt.raw.Received;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.access.AccessPolicy;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shared subscriptions [S-4], over a socket. */
final class SharedTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @DisplayName("each message goes to one member of the group, and to those who subscribe by themselves")
    void membersTakeTurns(int version) throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt one = new RawMqtt(server.address(), version);
                RawMqtt two = new RawMqtt(server.address(), version);
                RawMqtt alone = new RawMqtt(server.address(), version);
                RawMqtt publisher = new RawMqtt(server.address(), version)) {
            one.open("1", true);
            two.open("2", true);
            alone.open("3", true);
            publisher.open("p", true);
            assertThat(one.subscribed("$share/g/t/+", 1)).isEqualTo(1);
            assertThat(two.subscribed("$share/g/t/+", 1)).isEqualTo(1);
            assertThat(alone.subscribed("t/+", 0)).isZero();
            for (int i = 1; i <= 4; i++) {
                publisher.publish("t/x", 1, i, "m" + i);
                publisher.expectAck(RawMqtt.PUBACK, i);
                assertThat(alone.expectPublish().payload()).isEqualTo("m" + i);
            }
            assertThat(one.expectPublish().payload())
                    .isNotEqualTo(two.expectPublish().payload());
            assertThat(one.expectPublish().payload())
                    .isNotEqualTo(two.expectPublish().payload());
            one.expectNothing();
            two.expectNothing();
        }
    }

    @Test
    @DisplayName(
            "[MQTT-4.8.2-5] what a member has not acknowledged goes to another; a kept member is one after a crash")
    void anotherMemberTakesOver() throws IOException {
        TestServer server = new TestServer(folder);
        try (RawMqtt one = new RawMqtt(server.address(), 5);
                RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            one.openKept("1");
            one.subscribed("$share/g/t", 1);
            publisher.open("p", true);
            publisher.publish("t", 1, 1, "m");
            publisher.expectAck(RawMqtt.PUBACK, 1);
            one.expectPublish();
        }
        server.crash();
        try (TestServer again = new TestServer(folder);
                RawMqtt two = new RawMqtt(again.address(), 5)) {
            two.openKept("2");
            two.subscribed("$share/g/t", 1);
            Published taken = two.expectPublish();
            assertThat(taken.payload()).isEqualTo("m");
            two.ack(RawMqtt.PUBACK, taken.packetId());
            two.disconnect();
            two.expectClosed();
            try (RawMqtt one = new RawMqtt(again.address(), 5);
                    RawMqtt publisher = new RawMqtt(again.address(), 5)) {
                assertThat(one.openKept("1")).isTrue();
                publisher.open("p", true);
                publisher.publish("t", 1, 2, "after");
                publisher.expectAck(RawMqtt.PUBACK, 2);
                assertThat(one.expectPublish().payload()).isEqualTo("after");
            }
        }
    }

    private static final String GROUP_QUEUE = "amq.share:g:t";

    @Test
    @DisplayName("[S-4] a group's queue goes with its last member: the kept one leaves first, then the other goes away")
    void keptMemberLeavesFirst() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt kept = new RawMqtt(server.address(), 5);
                RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            kept.openKept("kept");
            kept.subscribed("$share/g/t", 1);
            publisher.open("p", true);
            try (RawMqtt other = new RawMqtt(server.address(), 5)) {
                other.open("other", true);
                other.subscribed("$share/g/t", 1);
                assertThat(unsubscribed(kept, "$share/g/t")).isZero();
                publisher.publish("t", 1, 1, "for the other");
                assertThat(publisher.expectAck(RawMqtt.PUBACK, 1)).isZero();
                assertThat(other.expectPublish().payload()).isEqualTo("for the other");
                other.disconnect();
                other.expectClosed();
            }
            awaitGone(server);
            publisher.publish("t", 1, 2, "for nobody");
            assertThat(publisher.expectAck(RawMqtt.PUBACK, 2)).isEqualTo(0x10);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[S-4] a kept member's messages wait for it, whoever was in the group first, also over a crash")
    void keptMemberComesSecond(boolean crash) throws IOException {
        TestServer server = new TestServer(folder);
        try (RawMqtt other = new RawMqtt(server.address(), 5)) {
            other.open("other", true);
            other.subscribed("$share/g/t", 1);
            leave(server, "kept", "$share/g/t");
            other.disconnect();
            other.expectClosed();
        }
        try (RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            publisher.open("p", true);
            publisher.publish("t", 1, 1, "for the kept one");
            assertThat(publisher.expectAck(RawMqtt.PUBACK, 1)).isZero();
        }
        if (crash) {
            server.crash();
            server = new TestServer(folder);
        }
        try (TestServer its = server;
                RawMqtt kept = new RawMqtt(its.address(), 5)) {
            assertThat(kept.openKept("kept")).isTrue();
            assertThat(kept.expectPublish().payload()).isEqualTo("for the kept one");
            assertThat(unsubscribed(kept, "$share/g/t")).isZero();
            kept.disconnect();
            kept.expectClosed();
            awaitGone(its);
        }
    }

    @Test
    @DisplayName("[S-4] the queue of a group whose members a crash has ended goes with the next start")
    void membersAreGoneAfterACrash() throws IOException {
        TestServer server = new TestServer(folder);
        try (RawMqtt other = new RawMqtt(server.address(), 5)) {
            other.open("other", true);
            other.subscribed("$share/g/t", 1);
        } finally {
            server.crash();
        }
        try (TestServer again = new TestServer(folder)) {
            awaitGone(again);
        }
    }

    private static void awaitGone(TestServer server) {
        for (int looks = 0; server.queueNames().contains(GROUP_QUEUE); looks++) {
            // Nobody waits for it in the broker, either.
            assertThat(looks).isLessThan(100_000);
        }
    }

    @Test
    @DisplayName("[S-4] who comes as the last other member leaves is a member, of a group that begins anew if need be")
    void comingWhileTheLastLeaves() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            publisher.open("p", true);
            for (int round = 1; round <= 20; round++) {
                try (RawMqtt last = new RawMqtt(server.address(), 5);
                        RawMqtt next = new RawMqtt(server.address(), 5)) {
                    last.open("last", true);
                    next.open("next", true);
                    last.subscribed("$share/g/t", 1);
                    last.unsubscribe(1, "$share/g/t");
                    assertThat(next.subscribed("$share/g/t", 1)).isEqualTo(1);
                    last.expect(RawMqtt.UNSUBACK);
                    for (int code = 0x10; code == 0x10; code = publisher.expectAck(RawMqtt.PUBACK, round)) {
                        publisher.publish("t", 1, round, "m");
                    }
                    assertThat(next.expectPublish().payload()).isEqualTo("m");
                }
                awaitGone(server);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"$share/g/t", "$queues/work"})
    @DisplayName("[MQTT-3.10.4-3] UNSUBSCRIBE with deliveries under way: they are completed, what was not sent goes to"
            + " others")
    void unsubscribeCompletes(String filter) throws IOException {
        boolean shared = filter.startsWith("$share");
        try (TestServer server = new TestServer(folder);
                RawMqtt one = new RawMqtt(server.address(), 5);
                RawMqtt two = new RawMqtt(server.address(), 5);
                RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            declare(server, "work");
            one.open("1", true, new Bytes().u8(0x21).u16(2));
            two.open("2", true);
            publisher.open("p", true);
            one.subscribed(filter, 1);
            for (int i = 1; i <= 4; i++) {
                publisher.publish(shared ? "t" : filter, 1, i, "m" + i);
                publisher.expectAck(RawMqtt.PUBACK, i);
            }
            Published first = one.expectPublish();
            Published second = one.expectPublish();
            two.subscribed(filter, 1);
            assertThat(unsubscribed(one, filter)).isZero();
            assertThat(two.expectPublish().payload()).isEqualTo("m3");
            assertThat(two.expectPublish().payload()).isEqualTo("m4");
            one.ack(RawMqtt.PUBACK, first.packetId());
            one.ack(RawMqtt.PUBACK, second.packetId());
            one.expectNothing();
            one.disconnect();
            one.expectClosed();
            two.expectNothing();
            publisher.publish(shared ? "t" : filter, 1, 9, "last");
            publisher.expectAck(RawMqtt.PUBACK, 9);
            assertThat(two.expectPublish().payload()).isEqualTo("last");
        }
    }

    private static void leave(TestServer server, String clientId, String... filters) throws IOException {
        try (RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.openKept(clientId);
            for (String filter : filters) {
                assertThat(client.subscribed(filter, 1)).isEqualTo(1);
            }
            client.disconnect();
            client.expectClosed();
        }
    }

    private static int unsubscribed(RawMqtt client, String filter) throws IOException {
        client.unsubscribe(5, filter);
        Received unsuback = client.expectAnswer(RawMqtt.UNSUBACK);
        unsuback.u16();
        unsuback.properties();
        return unsuback.u8();
    }

    @Test
    @DisplayName("a kept session that may not be a member any more goes on without, for good (MS-0620)")
    void forbiddenMembership() throws IOException {
        AtomicReference<AccessPolicy> policy = new AtomicReference<>(AccessPolicy.OPEN);
        try (TestServer server = new TestServer(folder, TestServer.Setup.DEFAULT.with(policy::get))) {
            leave(server, "c", "$share/g/secret", "own");
            policy.set(RightsTest.policy("deny all mqtt-topic secret", "allow all"));
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                assertThat(client.openKept("c")).isTrue();
                client.publish("own", 0, 0, "mine");
                assertThat(client.expectPublish().payload()).isEqualTo("mine");
                assertThat(server.queueNames()).containsExactly("amq.mqtt:c");
                assertThat(unsubscribed(client, "$share/g/secret")).isEqualTo(0x11);
                assertThat(client.subscribed("$share/g/secret", 1)).isEqualTo(0x87);
            }
            policy.set(AccessPolicy.OPEN);
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                assertThat(client.openKept("c")).isTrue();
                client.publish("secret", 1, 1, "unseen");
                assertThat(client.expectAck(RawMqtt.PUBACK, 1)).isEqualTo(0x10);
                assertThat(client.subscribed("$share/g/secret", 1)).isEqualTo(1);
                client.publish("secret", 0, 0, "seen");
                assertThat(client.expectPublish().payload()).isEqualTo("seen");
            }
        }
    }

    @Test
    @DisplayName(
            "a group whose queue was deleted begins anew with its next member; a queue that is gone is not waited for")
    void deletedQueues() throws IOException {
        try (TestServer server = new TestServer(folder)) {
            declare(server, "work");
            leave(server, "c", "$share/g/t", "$queues/work");
            server.asked(session -> session.deleteQueue("amq.share:g:t", false, false));
            server.asked(session -> session.deleteQueue("work", false, false));
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                assertThat(client.openKept("c")).isTrue();
                client.publish("t", 0, 0, "anew");
                assertThat(client.expectPublish().payload()).isEqualTo("anew");
                assertThat(unsubscribed(client, "$queues/work")).isEqualTo(0x11);
                assertThat(unsubscribed(client, "$share/g/t")).isZero();
            }
            declare(server, "work");
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                assertThat(client.openKept("c")).isTrue();
                client.publish("$queues/work", 1, 1, "job");
                assertThat(client.expectAck(RawMqtt.PUBACK, 1)).isZero();
                assertThat(client.subscribed("$queues/work", 1)).isEqualTo(1);
                assertThat(client.expectPublish().payload()).isEqualTo("job");
            }
        }
    }

    @Test
    @DisplayName(
            "a queue that somebody has for himself is taken from again at the next connection, unless unsubscribed")
    void lockedQueue() throws IOException {
        try (TestServer server = new TestServer(folder)) {
            declare(server, "one");
            declare(server, "two");
            leave(server, "c", "$queues/one", "$queues/two");
            Closeable one = server.exclusiveConsumer("one");
            Closeable two = server.exclusiveConsumer("two");
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                assertThat(client.openKept("c")).isTrue();
                assertThat(unsubscribed(client, "$queues/two")).isZero();
                assertThat(unsubscribed(client, "$queues/two")).isEqualTo(0x11);
            } finally {
                one.close();
                two.close();
            }
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                assertThat(client.openKept("c")).isTrue();
                client.publish("$queues/two", 0, 0, "not for c");
                client.publish("$queues/one", 0, 0, "for c");
                assertThat(client.expectPublish().payload()).isEqualTo("for c");
                client.expectNothing();
            }
        }
    }

    private static void declare(TestServer server, String queue) {
        server.asked(session -> session.declareQueue(QueueSpec.durable(queue)));
    }

    @Test
    @DisplayName("[S-12] shared and queue subscriptions count as filters of the session: 0x97 beyond the limit")
    void theyAreLimited() throws IOException {
        MqttLimits two = new MqttLimits(4 << 20, 1000, 1000, 32, 2, 0xFFFF_FFFFL, 256 << 10, 100, 1 << 20, 100);
        try (TestServer server = new TestServer(folder, two);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.openKept("c");
            assertThat(client.subscribed("$share/g/a", 1)).isEqualTo(1);
            assertThat(client.subscribed("b", 1)).isEqualTo(1);
            assertThat(client.subscribed("$share/g/c", 1)).isEqualTo(0x97);
            assertThat(client.subscribed("$queues/q", 1)).isEqualTo(0x97);
            assertThat(client.subscribed("d", 1)).isEqualTo(0x97);
            assertThat(client.subscribed("$share/g/a", 0)).isZero();
            client.unsubscribe(5, "$share/g/a");
            client.expect(RawMqtt.UNSUBACK);
            assertThat(client.subscribed("$share/g/c", 1)).isEqualTo(1);
        }
    }

    @Test
    @DisplayName(
            "[MQTT-4.8.2-1] a malformed shared subscription closes with 0x81 and is refused in 3.1.1; no local on one"
                    + " closes with 0x82")
    void malformed() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            for (String malformed : new String[] {"$share//t", "$share/g+/t", "$share/g", "$share/g/", "$share/"}) {
                try (RawMqtt wrong = new RawMqtt(server.address(), 5);
                        RawMqtt leaving = new RawMqtt(server.address(), 5);
                        RawMqtt old = new RawMqtt(server.address(), 4)) {
                    wrong.open("wrong", true);
                    assertThat(wrong.subscribe(1, malformed, 1).expectClosed()).isEqualTo(0x81);
                    leaving.open("leaving", true);
                    assertThat(leaving.unsubscribe(1, malformed).expectClosed()).isEqualTo(0x81);
                    old.open("old", true);
                    assertThat(old.subscribed(malformed, 1)).isEqualTo(0x80);
                }
            }
            client.open("c", true);
            client.subscribe(1, "$share/g/t", 4);
            assertThat(client.expectClosed()).isEqualTo(0x82);
        }
    }
}
