package io.mainstem.store.view;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("blocks of consume queues in memory are bounded by their number")
final class BlockCacheTest {
    @Test
    void theOneThatWasNotUsedForLongestGoes() {
        BlockCache cache = new BlockCache(2);
        cache.put(1, new long[1]);
        cache.put(2, new long[1]);
        assertThat(cache.get(1)).isNotNull();

        cache.put(3, new long[1]);

        assertThat(cache.contains(1)).isTrue();
        assertThat(cache.contains(2)).isFalse();
        assertThat(cache.contains(3)).isTrue();
    }
}
