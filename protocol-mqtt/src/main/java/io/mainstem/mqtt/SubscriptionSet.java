package io.mainstem.mqtt;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one session, asked for each delivery which of them match and with which options [S-7]. Of these,
 * retain as published and the identifiers count as they are when the message is sent, the QoS as it was when it came.
 * Thread: the connection's event loop.
 */
final class SubscriptionSet {
    private static final int MATCHES_KEPT = 64;
    /** Publishers choose topics: a long one is matched each time. */
    private static final int KEPT_CHARACTERS_MAX = 256;

    private final Map<String, Subscription> byFilter = new HashMap<>();
    /** By filter: a filter that comes again does not look at all others. */
    private final Map<String, Subscription> withWildcards = new LinkedHashMap<>();

    private final Map<String, Match> kept = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Match> eldest) {
            return size() > MATCHES_KEPT;
        }
    };

    /**
     * What all matching subscriptions together say.
     *
     * @param qos the highest granted, -1 if none matches
     * @param ids subscription identifiers, of each matching subscription that has one
     */
    record Match(int qos, boolean retainAsPublished, List<Integer> ids) {
        /** For messages that came another way than by a subscription. */
        static final Match NONE = new Match(-1, false, List.of());

        /** A retained message is sent for one subscription, and says so; that may be gone meanwhile. */
        static Match retained(@Nullable Subscription subscription) {
            if (subscription == null) {
                return new Match(-1, true, List.of());
            }
            int id = subscription.subscriptionId();
            return new Match(subscription.qos(), true, id > 0 ? List.of(id) : List.of());
        }

        /** The same with the QoS that was granted when the message came. */
        Match granting(int granted) {
            return granted == qos ? this : new Match(granted, retainAsPublished, ids);
        }
    }

    @Nullable
    Subscription get(String filter) {
        return byFilter.get(filter);
    }

    void put(Subscription subscription) {
        remove(subscription.filter());
        byFilter.put(subscription.filter(), subscription);
        if (hasWildcard(subscription.filter())) {
            withWildcards.put(subscription.filter(), subscription);
        }
        kept.clear();
    }

    void remove(String filter) {
        Subscription before = byFilter.remove(filter);
        if (before != null) {
            withWildcards.remove(filter);
            kept.clear();
        }
    }

    /** @param own the session's client has published it: subscriptions without local messages do not count */
    Match match(String topic, boolean own) {
        if (own) {
            return matched(topic, true);
        }
        Match known = kept.get(topic);
        if (known == null) {
            known = matched(topic, false);
            if (topic.length() <= KEPT_CHARACTERS_MAX) {
                kept.put(topic, known);
            }
        }
        return known;
    }

    private Match matched(String topic, boolean own) {
        int qos = -1;
        boolean retainAsPublished = false;
        List<Integer> ids = new ArrayList<>(1);
        Collection<Subscription> candidates = withWildcards.values();
        Subscription literal = byFilter.get(topic);
        if (literal != null && !hasWildcard(topic)) {
            candidates = new ArrayList<>(withWildcards.values());
            candidates.add(literal);
        }
        for (Subscription each : candidates) {
            if (!(own && each.noLocal()) && matches(each.filter(), topic)) {
                qos = Math.max(qos, each.qos());
                retainAsPublished |= each.retainAsPublished();
                if (each.subscriptionId() > 0) {
                    ids.add(each.subscriptionId());
                }
            }
        }
        return qos < 0 ? Match.NONE : new Match(qos, retainAsPublished, List.copyOf(ids));
    }

    private static boolean hasWildcard(String filter) {
        return filter.indexOf('+') >= 0 || filter.indexOf('#') >= 0;
    }

    /** Whether a topic name matches a filter (4.7), both legal. */
    static boolean matches(String filter, String topic) {
        if (topic.startsWith("$") && !filter.isEmpty() && (filter.charAt(0) == '+' || filter.charAt(0) == '#')) {
            return false;
        }
        int f = 0;
        int t = 0;
        while (true) {
            int filterEnd = end(filter, f);
            if (filterEnd == f + 1 && filter.charAt(f) == '#') {
                return true;
            }
            int topicEnd = end(topic, t);
            boolean any = filterEnd == f + 1 && filter.charAt(f) == '+';
            if (!any && !(filterEnd - f == topicEnd - t && filter.regionMatches(f, topic, t, topicEnd - t))) {
                return false;
            }
            boolean filterOver = filterEnd == filter.length();
            if (topicEnd == topic.length()) {
                return filterOver || filter.substring(filterEnd).equals("/#");
            }
            if (filterOver) {
                return false;
            }
            f = filterEnd + 1;
            t = topicEnd + 1;
        }
    }

    private static int end(String text, int from) {
        int slash = text.indexOf('/', from);
        return slash < 0 ? text.length() : slash;
    }
}
