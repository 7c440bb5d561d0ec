package io.mainstem.routing.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("PersistentMap: a hash map whose versions share what did not change")
final class PersistentMapTest {
    /** A key whose hash says little, so that whole hashes collide. */
    private record Key(int id, int hash) {
        @Override
        public int hashCode() {
            return hash;
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void behavesAsAHashMapThroughRandomChanges(long seed) {
        Random random = new Random(seed);
        int keys = 1 + random.nextInt(400);
        int hashes = random.nextBoolean() ? 5 : Integer.MAX_VALUE;
        Map<Key, Integer> model = new HashMap<>();
        PersistentMap<Key, Integer> map = PersistentMap.empty();

        for (int step = 0; step < 4_000; step++) {
            int id = random.nextInt(keys);
            Key key = new Key(id, new Random(id).nextInt(hashes));
            if (random.nextInt(5) < 2) {
                model.remove(key);
                map = map.without(key);
            } else {
                model.put(key, step);
                map = map.with(key, step);
            }
            assertThat(map.size()).isEqualTo(model.size());
            assertThat(map.get(key)).isEqualTo(model.get(key));
        }

        assertThat(content(map)).isEqualTo(model);
        for (Key key : model.keySet()) {
            assertThat(map.get(key)).isEqualTo(model.get(key));
            map = map.without(key);
        }
        assertThat(map.isEmpty()).isTrue();
    }

    @Test
    void earlierVersionsKeepTheirContent() {
        List<PersistentMap<Integer, Integer>> versions = new ArrayList<>();
        PersistentMap<Integer, Integer> map = PersistentMap.empty();
        for (int i = 0; i < 500; i++) {
            versions.add(map);
            map = map.with(i, -i);
        }

        for (int i = 0; i < 500; i++) {
            assertThat(versions.get(i).size()).isEqualTo(i);
            assertThat(versions.get(i).get(i)).isNull();
        }
    }

    @Test
    void settingWhatIsThereChangesNothing() {
        PersistentMap<String, String> map =
                PersistentMap.<String, String>empty().with("a", "b");

        assertThat(map.with("a", "b")).isSameAs(map);
        assertThat(map.without("x")).isSameAs(map);
    }

    private static <K, V> Map<K, V> content(PersistentMap<K, V> map) {
        Map<K, V> content = new HashMap<>();
        map.forEach((key, value) -> assertThat(content.put(key, value)).isNull());
        return content;
    }
}
