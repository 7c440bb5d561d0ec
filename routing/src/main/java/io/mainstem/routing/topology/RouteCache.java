package io.mainstem.routing.topology;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Results of routing by (exchange, key), each with the exchanges it came through. One cache serves all snapshots of a virtual
 * host, so that nothing is to be cleared when a topology changes: a result that a change may concern, by exchange and key, is not
 * used and gets replaced; any other is good for the next route epoch, too.
 *
 * <p>Thread: any.
 */
final class RouteCache {
    /** Units: one per result, target, exchange on the way, and 64 characters of key; about 10 MiB at most. */
    private static final long WEIGHT_MAX = 200_000;

    private final Cache<RouteKey, CachedRoute> routes = Caffeine.newBuilder()
            .maximumWeight(WEIGHT_MAX)
            .weigher(RouteCache::weight)
            .executor(Runnable::run)
            .build();

    @Nullable
    ResolvedRoute get(String exchange, String key, TopologyState state) {
        RouteKey asked = new RouteKey(exchange, key);
        CachedRoute cached = routes.getIfPresent(asked);
        if (cached == null || cached.epoch() > state.routeEpoch()) {
            return null;
        }
        if (cached.epoch() < state.routeEpoch()) {
            if (!cached.holds(key, state)) {
                return null;
            }
            routes.put(asked, new CachedRoute(state.routeEpoch(), cached.route(), cached.way()));
        }
        return cached.route();
    }

    /** @param way names of the exchanges that were asked, those that do not exist included */
    void put(String exchange, String key, TopologyState state, ResolvedRoute route, Iterable<String> way) {
        List<Visit> visits = new ArrayList<>(1);
        for (String name : way) {
            visits.add(new Visit(name, state.exchanges().get(name) != null));
        }
        routes.put(new RouteKey(exchange, key), new CachedRoute(state.routeEpoch(), route, List.copyOf(visits)));
    }

    private static int weight(RouteKey key, CachedRoute route) {
        return 1
                + (key.exchange().length() + key.key().length()) / 64
                + route.way().size()
                + route.route().size();
    }

    private record RouteKey(String exchange, String key) {}

    private record CachedRoute(long epoch, ResolvedRoute route, List<Visit> way) {
        /** True if it is the same still, with what has changed since its epoch. */
        boolean holds(String key, TopologyState state) {
            for (Visit visit : way) {
                Exchange now = state.exchanges().get(visit.exchange());
                if (visit.found() ? now == null || now.changed(key, epoch) : now != null) {
                    return false;
                }
            }
            return true;
        }
    }

    private record Visit(String exchange, boolean found) {}
}
