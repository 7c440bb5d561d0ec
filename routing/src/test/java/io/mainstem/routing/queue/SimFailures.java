package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;

/** What an answer that is an error says about what was asked. */
final class SimFailures {
    private SimFailures() {}

    /** True if it certainly has not happened; false if nobody knows. */
    static boolean undone(Throwable refused) {
        return refused instanceof BrokerException known && known.kind() != ErrorKind.UNAVAILABLE;
    }
}
