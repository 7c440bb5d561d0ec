package io.mainstem.routing.queue;

import io.mainstem.routing.message.Death;
import io.mainstem.routing.message.Envelope;
import java.util.ArrayList;
import java.util.List;

/** What a dead letter tells of the queues it has been given up by [T-3]. Thread: any. */
final class DeathHistory {
    private static final int DEATHS_MAX = 128;
    /** Of all queues, exchanges and keys in it: each delivery tells them, and each move writes them again. */
    private static final int CHARS_MAX = 16_384;

    private static final int DEATH_KEY_CHARS_MAX = 1024;

    private DeathHistory() {}

    /**
     * Newest first; deaths in the same queue for the same reason are one line with a count. The oldest may be left out.
     *
     * @param failed deliveries that have failed in this queue
     */
    static List<Death> with(Envelope envelope, String queue, String reason, int failed, long nowMs) {
        List<Death> history = new ArrayList<>(envelope.deaths().size() + 1);
        List<String> keys = keys(envelope);
        Death latest = new Death(queue, reason, 1, nowMs, nowMs, envelope.exchange(), keys, envelope.ttlMs(), failed);
        for (Death death : envelope.deaths()) {
            if (death.queue().equals(queue) && death.reason().equals(reason)) {
                latest = new Death(
                        queue,
                        reason,
                        death.count() + 1,
                        death.firstMs(),
                        nowMs,
                        envelope.exchange(),
                        keys,
                        envelope.ttlMs(),
                        (int) Math.min(Integer.MAX_VALUE, (long) death.failed() + failed));
            } else if (history.size() < DEATHS_MAX - 1) {
                history.add(death);
            }
        }
        history.add(0, latest);
        return bounded(history);
    }

    /** Without the oldest ones that are too much. */
    private static List<Death> bounded(List<Death> history) {
        int chars = 0;
        for (int at = 0; at < history.size(); at++) {
            Death death = history.get(at);
            chars += death.queue().length() + death.exchange().length();
            for (String key : death.keys()) {
                chars += key.length();
            }
            if (chars > CHARS_MAX && at > 0) {
                return history.subList(0, at);
            }
        }
        return history;
    }

    /** What of the keys is kept in the history: it has to fit the envelope whatever a client sends. */
    private static List<String> keys(Envelope envelope) {
        List<String> keys = new ArrayList<>(1);
        int chars = 0;
        for (String key : envelope.keys()) {
            chars += key.length();
            if (chars <= DEATH_KEY_CHARS_MAX) {
                keys.add(key);
            }
        }
        return keys;
    }

    /** True if it has been in the queue since a consumer last rejected it. */
    static boolean cycles(String queue, List<Death> deaths) {
        for (Death death : deaths) {
            if (death.reason().equals("rejected")) {
                return false;
            }
            if (death.queue().equals(queue)) {
                return true;
            }
        }
        return false;
    }
}
