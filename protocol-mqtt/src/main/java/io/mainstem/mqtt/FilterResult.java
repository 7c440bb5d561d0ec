package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Fixes;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.routing.BrokerException;
import org.jspecify.annotations.Nullable;

/**
 * What came of one filter of a SUBSCRIBE or UNSUBSCRIBE.
 *
 * @param text what is wrong, null if nothing is
 */
record FilterResult(Reason reason, @Nullable String text) {
    FilterResult {
        text = text == null ? null : Fixes.in(text);
    }

    static FilterResult of(Reason reason) {
        return new FilterResult(reason, null);
    }

    static FilterResult granted(int qos) {
        return of(
                switch (qos) {
                    case 0 -> Reason.SUCCESS;
                    case 1 -> Reason.GRANTED_QOS_1;
                    default -> Reason.GRANTED_QOS_2;
                });
    }

    /** Null if it is a filter. */
    static @Nullable FilterResult ofInvalid(String filter) {
        String shown = "MS-0610 filter '" + Topics.shown(filter);
        if (Topics.namesNoQueue(filter)) {
            return new FilterResult(Reason.TOPIC_FILTER_INVALID, shown + Topics.NO_QUEUE);
        }
        if (Topics.isShared(filter) && !QueueSubscription.isShared(filter)) {
            return new FilterResult(
                    Reason.TOPIC_FILTER_INVALID,
                    shown + "' is no shared subscription (expected: $share/, a name without wildcards, / and a filter)"
                            + " fix: correct the filter");
        }
        return Topics.isFilter(filter)
                ? null
                : new FilterResult(
                        Reason.TOPIC_FILTER_INVALID,
                        shown + "' has a wildcard at the wrong place (expected: + as a whole level, # as the last one)"
                                + " fix: correct the filter");
    }

    /** The session has as many as it may have. */
    static FilterResult tooMany(String filter, int max) {
        return new FilterResult(
                Reason.QUOTA_EXCEEDED,
                "MS-0603 limit: filter '" + Topics.shown(filter) + "' is one more than " + max
                        + " of a session fix: unsubscribe from others, or raise mqtt.subscriptions-max");
    }

    static FilterResult refused(Throwable failure) {
        Throwable cause = LostFilters.cause(failure);
        Reason reason = Reason.UNSPECIFIED_ERROR;
        if (cause instanceof BrokerException refusal) {
            reason = switch (refusal.kind()) {
                case INVALID_ARGUMENT -> Reason.TOPIC_FILTER_INVALID;
                case RESOURCE_LIMIT -> Reason.QUOTA_EXCEEDED;
                case ACCESS_REFUSED -> Reason.NOT_AUTHORIZED;
                default -> Reason.UNSPECIFIED_ERROR;
            };
        }
        return new FilterResult(reason, "MS-0610 subscription: " + cause.getMessage());
    }
}
