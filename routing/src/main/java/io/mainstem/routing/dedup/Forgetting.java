package io.mainstem.routing.dedup;

import io.mainstem.store.MetaMark;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What all users' claims share: which marks are under way, and what is to be deleted from the store because it is not known here
 * any more. That goes with the claims of whoever publishes next, so that what an absent user has left does not stay. Thread: shard.
 */
final class Forgetting {
    /** By key, and bit. */
    private final Map<String, Map<Integer, Claim>> underWay = new HashMap<>();
    /** Keys that are to be deleted: what they hold is not known here any more, or covered by what is in the log. */
    private final Set<String> forgotten = new LinkedHashSet<>();

    private final Predicate<String> known;

    /** @param known tells of a key whether what it holds is known here */
    Forgetting(Predicate<String> known) {
        this.known = known;
    }

    @Nullable
    Claim underWay(MetaMark mark) {
        Map<Integer, Claim> claims = underWay.get(mark.key());
        return claims == null ? null : claims.get(mark.bit());
    }

    void begun(MetaMark mark, Claim claim) {
        underWay.computeIfAbsent(mark.key(), key -> new HashMap<>(2)).put(mark.bit(), claim);
    }

    void ended(MetaMark mark) {
        underWay.computeIfPresent(mark.key(), (key, claims) -> {
            claims.remove(mark.bit());
            return claims.isEmpty() ? null : claims;
        });
    }

    void forget(String key) {
        forgotten.add(key);
    }

    /** It is in the store again. */
    void remember(String key) {
        forgotten.remove(key);
    }

    /** Some that nobody is about to mark: what is under way may be in the log in front of the deletion. */
    List<String> take(int max) {
        List<String> taken = new ArrayList<>(0);
        Iterator<String> oldest = forgotten.iterator();
        while (oldest.hasNext() && taken.size() < max) {
            String key = oldest.next();
            if (!underWay.containsKey(key)) {
                taken.add(key);
                oldest.remove();
            }
        }
        return taken;
    }

    /** They were not deleted; what has been published again meanwhile must not be. */
    void notDeleted(List<String> keys) {
        for (String key : keys) {
            if (!known.test(key)) {
                forgotten.add(key);
            }
        }
    }
}
