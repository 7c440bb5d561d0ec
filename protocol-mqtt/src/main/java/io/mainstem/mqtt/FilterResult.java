package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Reason;
import io.mainstem.routing.BrokerException;
import org.jspecify.annotations.Nullable;

/**
 * What came of one filter of a SUBSCRIBE or UNSUBSCRIBE.
 *
 * @param text what is wrong, null if nothing is
 */
record FilterResult(Reason reason, @Nullable String text) {
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
