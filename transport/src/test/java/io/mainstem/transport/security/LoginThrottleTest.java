package io.mainstem.transport.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** An address that guesses waits; others do not. */
final class LoginThrottleTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final LoginThrottle throttle = new LoginThrottle(3, 1_000, 2_000, now::get);

    @Test
    void aFewFailuresCostNothingThenLoginsAreSpacedThenRefused() throws UnknownHostException {
        InetAddress guesser = InetAddress.getByName("192.0.2.1");

        for (int i = 0; i < 3; i++) {
            assertThat(throttle.waitNs(guesser)).isZero();
            throttle.failed(guesser);
        }
        assertThat(throttle.failures(guesser)).isEqualTo(3);
        assertThat(throttle.waitNs(guesser)).isEqualTo(SECOND);
        throttle.failed(guesser);
        assertThat(throttle.waitNs(guesser)).isEqualTo(2 * SECOND);
        throttle.failed(guesser);
        assertThat(throttle.waitNs(guesser)).isEqualTo(-1);
        assertThat(throttle.waitNs(InetAddress.getByName("192.0.2.2"))).isZero();

        now.addAndGet(SECOND);
        assertThat(throttle.waitNs(guesser)).isEqualTo(2 * SECOND);
        now.addAndGet(100 * SECOND);
        assertThat(throttle.waitNs(guesser)).isZero();
        assertThat(throttle.failures(guesser)).isZero();
    }

    @Test
    void addressesOfOneIpv6NetworkCountAsOne() throws UnknownHostException {
        for (int i = 0; i < 3; i++) {
            throttle.failed(InetAddress.getByName("2001:db8::" + i));
        }

        assertThat(throttle.waitNs(InetAddress.getByName("2001:db8::9:9"))).isEqualTo(SECOND);
        assertThat(throttle.waitNs(InetAddress.getByName("2001:db8:0:1::1"))).isZero();
    }

    @Test
    void whatItRemembersIsBounded() throws UnknownHostException {
        for (int i = 0; i < LoginThrottle.ADDRESSES_MAX + 100; i++) {
            throttle.failed(InetAddress.getByAddress(new byte[] {10, (byte) (i >> 16), (byte) (i >> 8), (byte) i}));
        }

        assertThat(throttle.addresses()).isEqualTo(LoginThrottle.ADDRESSES_MAX);
    }
}
