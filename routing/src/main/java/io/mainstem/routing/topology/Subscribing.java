package io.mainstem.routing.topology;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.SubscriptionKind;

/** Whether subscribing again means the subscription that exists [S-1], [S-2]. Thread: any. */
final class Subscribing {
    private Subscribing() {}

    /**
     * True if the queue found is what is wanted, or was before kinds were recorded.
     *
     * @throws BrokerException PRECONDITION_FAILED if it is a subscription of the other kind, whatever else differs
     */
    static boolean isSame(QueueSpec wanted, QueueSpec found) {
        SubscriptionKind kind = SubscriptionKind.of(wanted);
        SubscriptionKind before = SubscriptionKind.of(found);
        if (kind == null || before == kind) {
            return found.equals(wanted);
        }
        if (before != null) {
            throw new BrokerException(
                    ErrorKind.PRECONDITION_FAILED,
                    "MS-0393",
                    "durable subscription '" + found.name() + "': wanted " + kind.word() + ", found " + before.word()
                            + "; both kinds share their names.",
                    "use another subscription name, or unsubscribe this one first.");
        }
        return kind.recordedIn(found).equals(wanted);
    }
}
