package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.Received;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many clients may connect, and how fast one may publish. */
final class RateTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @TempDir
    Path folder;

    @Test
    @DisplayName("a rate gives a second's worth at once, then as much as time passes, and saves no more than a second")
    void rateLimit() {
        RateLimit limit = new RateLimit(10, 0);
        assertThat(taken(limit, 0)).isEqualTo(10);
        assertThat(limit.waitNanos(0)).isEqualTo(SECOND / 10);
        assertThat(taken(limit, SECOND / 10 - 1)).isZero();
        assertThat(taken(limit, SECOND / 10)).isEqualTo(1);
        assertThat(taken(limit, SECOND / 2)).isEqualTo(4);
        assertThat(taken(limit, 100 * SECOND)).isEqualTo(10);
    }

    private static int taken(RateLimit limit, long nowNanos) {
        int taken = 0;
        while (limit.take(nowNanos)) {
            taken++;
        }
        return taken;
    }

    @ParameterizedTest
    @CsvSource({"5, 159", "4, 3"})
    @DisplayName("one client too many in a second is answered with 0x9F, in 3.x with 3, and those connected stay")
    void connections(int version, int refusal) throws IOException {
        TestServer.Setup slow = TestServer.Setup.DEFAULT.with(Options.connectionRate(2));
        try (TestServer server = new TestServer(folder, slow);
                RawMqtt first = new RawMqtt(server.address(), version)) {
            first.open("first", true);
            // All ask before any is answered: the rate is not for how fast the server answers.
            List<RawMqtt> crowd = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                RawMqtt one = new RawMqtt(server.address(), version);
                one.connect("c" + i, true, new Bytes());
                crowd.add(one);
            }
            Set<Integer> codes = new HashSet<>();
            for (RawMqtt each : crowd) {
                try (each) {
                    Received connack = each.expect(RawMqtt.CONNACK);
                    connack.u8();
                    codes.add(connack.u8());
                }
            }
            assertThat(codes).contains(refusal);
            assertThat(codes).isSubsetOf(0, refusal);
            first.expectNothing();
        }
    }

    @Test
    @DisplayName("a client that publishes too fast is read more slowly; nothing is lost, and others are not held back")
    void publishes() throws IOException {
        int rate = 20;
        int sent = 2 * rate;
        TestServer.Setup slow = TestServer.Setup.DEFAULT.with(Options.publishRate(rate));
        try (TestServer server = new TestServer(folder, slow);
                RawMqtt fast = new RawMqtt(server.address(), 5);
                RawMqtt other = new RawMqtt(server.address(), 5)) {
            fast.open("fast", true);
            other.open("other", true);
            long began = System.nanoTime();
            for (int id = 1; id <= sent; id++) {
                fast.publish("t", 1, id, "m");
            }
            other.publish("t", 1, 1, "at once");
            other.expectAck(RawMqtt.PUBACK, 1);
            for (int id = 1; id <= sent; id++) {
                fast.expectAck(RawMqtt.PUBACK, id);
            }
            // A second's worth went at once.
            assertThat(System.nanoTime() - began).isGreaterThan(SECOND - SECOND / 10);
            fast.expectNothing();
        }
    }
}
