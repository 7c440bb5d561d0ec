package io.mainstem.routing.topology;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/**
 * Results of routing by (exchange, key), each good for one route epoch. One cache serves all snapshots of a virtual
 * host, so that nothing is to be cleared when a topology changes: stale results are not used and get replaced.
 *
 * <p>Thread: any.
 */
final class RouteCache {
    /** Units: one per result, target, and 64 characters of key; about 10 MiB at most. */
    private static final long WEIGHT_MAX = 200_000;

    private final Cache<RouteKey, CachedRoute> routes = Caffeine.newBuilder()
            .maximumWeight(WEIGHT_MAX)
            .weigher(RouteCache::weight)
            .executor(Runnable::run)
            .build();

    @Nullable
    ResolvedRoute get(String exchange, String key, long epoch) {
        CachedRoute cached = routes.getIfPresent(new RouteKey(exchange, key));
        return cached == null || cached.epoch() != epoch ? null : cached.route();
    }

    void put(String exchange, String key, long epoch, ResolvedRoute route) {
        routes.put(new RouteKey(exchange, key), new CachedRoute(epoch, route));
    }

    private static int weight(RouteKey key, CachedRoute route) {
        return 1
                + (key.exchange().length() + key.key().length()) / 64
                + route.route().size();
    }

    private record RouteKey(String exchange, String key) {}

    private record CachedRoute(long epoch, ResolvedRoute route) {}
}
