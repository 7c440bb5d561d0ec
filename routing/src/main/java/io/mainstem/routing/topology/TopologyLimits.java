package io.mainstem.routing.topology;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;

/**
 * How many things a virtual host may have declared. Each takes memory whether it is used or not, and clients make queues by only
 * publishing to new addresses. What is there already stays, whatever the limit is set to later. Immutable.
 *
 * @param queuesMax queues, those of subscriptions and sessions included
 * @param exchangesMax exchanges, those that always exist included
 * @param bindingsMax bindings
 */
public record TopologyLimits(int queuesMax, int exchangesMax, int bindingsMax) {
    /** No bounds, for tests of other things. */
    public static final TopologyLimits NONE =
            new TopologyLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

    private static final int QUEUES_MIN = 1_000;
    private static final int QUEUES_MAX = 1_000_000;
    /** What an empty queue takes of the heap, measured: a broker of 256 MB ended at 190,000. */
    private static final int QUEUE_BYTES = 1_400;

    public TopologyLimits {
        check("shard.queues-max", queuesMax);
        check("shard.exchanges-max", exchangesMax);
        check("shard.bindings-max", bindingsMax);
    }

    /** As many queues as fit in half of the heap, twice as many bindings, a tenth of the exchanges. */
    public static TopologyLimits forHeap(long heapBytes) {
        int queues = (int) Math.max(QUEUES_MIN, Math.min(QUEUES_MAX, heapBytes / 2 / QUEUE_BYTES));
        return new TopologyLimits(queues, queues / 10, 2 * queues);
    }

    void checkQueues(int there, String virtualHost, String name) {
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
