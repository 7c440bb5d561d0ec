package io.mainstem.routing.topology;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How many things a virtual host may have declared. Each takes memory whether it is used or not, and clients make queues by only
 * publishing to new addresses. What is there already stays, whatever the limit is set to later. Immutable.
 *
 * @param queuesMax queues, those of subscriptions and sessions included
 * @param exchangesMax exchanges, those that always exist included
 * @param bindingsMax bindings
 * @param userPercent of each of these that one user may have made since the broker was started; 100 = all
 * @param heapShort asked before a queue is made: true while memory has room for nothing more. Thread: shard
 */
public record TopologyLimits(
        int queuesMax, int exchangesMax, int bindingsMax, int userPercent, BooleanSupplier heapShort) {
    /** No bounds, for tests of other things. */
    public static final TopologyLimits NONE =
            new TopologyLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

    private static final String ANONYMOUS = "anonymous";
    private static final int QUEUES_MIN = 1_000;
    private static final int QUEUES_MAX = 1_000_000;
    /** What an empty queue takes of the heap, measured: a broker of 256 MB ended at 190,000. */
    private static final int QUEUE_BYTES = 1_400;

    public TopologyLimits {
        check("shard.queues-max", queuesMax);
        check("shard.exchanges-max", exchangesMax);
        check("shard.bindings-max", bindingsMax);
        if (userPercent < 1 || userPercent > 100) {
            throw new IllegalArgumentException("shard.user-share-percent: " + userPercent + " (expected: 1 to 100)");
        }
    }

    /** For all users alike, whatever memory there is. */
    public TopologyLimits(int queuesMax, int exchangesMax, int bindingsMax) {
        this(queuesMax, exchangesMax, bindingsMax, 100, () -> false);
    }

    /** As many queues as fit in half of the heap, twice as many bindings, a tenth of the exchanges. */
    public static TopologyLimits forHeap(long heapBytes) {
        int queues = (int) Math.max(QUEUES_MIN, Math.min(QUEUES_MAX, heapBytes / 2 / QUEUE_BYTES));
        return new TopologyLimits(queues, queues / 10, 2 * queues);
    }

    /** Whose share what this user makes is of; null = it is not counted. */
    Makers.@Nullable Share share(Makers.Kind kind, @Nullable String user) {
        return userPercent == 100 ? null : new Makers.Share(kind, user == null ? ANONYMOUS : user);
    }

    /** @param there of the user's */
    void checkShare(Makers.Share share, int there, String virtualHost, String name) {
        int all = switch (share.kind()) {
            case QUEUE -> queuesMax;
            case EXCHANGE -> exchangesMax;
            case BINDING -> bindingsMax;
        };
        int max = (int) Math.max(1, (long) all * userPercent / 100);
        if (there >= max) {
            String kind = share.kind().name().toLowerCase(Locale.ROOT);
            throw new BrokerException(
                    ErrorKind.RESOURCE_LIMIT,
                    "MS-0329",
                    "no room for another " + kind + " '" + name + "': user '" + share.user() + "' has made " + there
                            + " in virtual host '" + virtualHost + "' (limit: " + max + ").",
                    "delete what nobody needs, or raise shard.user-share-percent.");
        }
    }

    void checkQueues(int there, String virtualHost, String name) {
        if (heapShort.getAsBoolean()) {
            throw new BrokerException(
                    ErrorKind.RESOURCE_LIMIT,
                    "MS-0349",
                    "no memory for another queue '" + name + "' in virtual host '" + virtualHost
                            + "': the heap is nearly full.",
                    "delete queues that nobody needs, or give the broker more heap (-Xmx).");
        }
        check(there, queuesMax, "queue", virtualHost, name, "shard.queues-max");
    }

    void checkExchanges(int there, String virtualHost, String name) {
        check(there, exchangesMax, "exchange", virtualHost, name, "shard.exchanges-max");
    }

    void checkBindings(int there, String virtualHost, String destination) {
        check(there, bindingsMax, "binding to", virtualHost, destination, "shard.bindings-max");
    }

    private static void check(int there, int max, String kind, String virtualHost, String name, String key) {
        if (there >= max) {
            throw new BrokerException(
                    ErrorKind.RESOURCE_LIMIT,
                    "MS-0329",
                    "no room for another " + kind + " '" + name + "': virtual host '" + virtualHost + "' has " + there
                            + " (limit: " + max + ").",
                    "delete what nobody needs, or raise " + key + " and the heap.");
        }
    }

    private static void check(String key, int max) {
        if (max < 10) {
            throw new IllegalArgumentException(key + ": " + max + " (expected: >= 10)");
        }
    }
}
