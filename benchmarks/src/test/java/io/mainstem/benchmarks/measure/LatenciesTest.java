package io.mainstem.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Test;

/** Percentiles are as exact as the buckets are narrow. */
final class LatenciesTest {
    @Test
    void percentilesAreWithinOnePercent() {
        Latencies latencies = new Latencies();
        for (long nanos = 1; nanos <= 1_000_000; nanos++) {
            latencies.record(nanos);
        }

        assertThat(latencies.percentileNanos(50)).isCloseTo(500_000, withinPercentage(1));
        assertThat(latencies.percentileNanos(99)).isCloseTo(990_000, withinPercentage(1));
        assertThat(latencies.percentileNanos(100)).isEqualTo(1_000_000);
        assertThat(latencies.count()).isEqualTo(1_000_000);
    }

    @Test
    void theLargestDurationsHaveABucketToo() {
        Latencies latencies = new Latencies();
        latencies.record(Long.MAX_VALUE);
        latencies.record(0);
        latencies.record(-5);

        assertThat(latencies.percentileNanos(100)).isEqualTo(Long.MAX_VALUE);
        assertThat(latencies.percentileNanos(50)).isZero();
    }

    @Test
    void thoseOfSeveralThreadsAddUp() {
        Latencies one = new Latencies();
        Latencies other = new Latencies();
        one.record(100);
        other.record(100_000);
        one.add(other);

        assertThat(one.count()).isEqualTo(2);
        assertThat(one.percentileNanos(50)).isEqualTo(100);
        assertThat(one.maxNanos()).isEqualTo(100_000);
    }
}
