package io.mainstem.amqp.v1;

import org.apache.qpid.proton.amqp.messaging.DeleteOnClose;
import org.apache.qpid.proton.amqp.messaging.DeleteOnNoLinks;
import org.apache.qpid.proton.amqp.messaging.DeleteOnNoLinksOrMessages;
import org.apache.qpid.proton.amqp.messaging.DeleteOnNoMessages;
import org.apache.qpid.proton.amqp.messaging.LifetimePolicy;
import org.jspecify.annotations.Nullable;

/**
 * When a node goes that a link has made (AMQP 1.0 part 3, 3.5.10 to 3.5.13). Always later than that link, and at the
 * latest with its connection, for only that may consume (ADR 0077).
 */
enum NodeLife {
    /** With the link that made it. */
    CLOSE(false, false),
    /** When no link to it is left, whosever. */
    NO_LINKS(true, false),
    /** When that link is gone and it is empty. */
    NO_MESSAGES(false, true),
    /** When no link to it is left and it is empty. */
    NO_LINKS_OR_MESSAGES(true, true);

    /** Other links keep it. */
    final boolean byLinks;

    /** Messages keep it. */
    final boolean byMessages;

    NodeLife(boolean byLinks, boolean byMessages) {
        this.byLinks = byLinks;
        this.byMessages = byMessages;
    }

    /** As the standard writes it. */
    LifetimePolicy policy() {
        return switch (this) {
            case CLOSE -> DeleteOnClose.getInstance();
            case NO_LINKS -> DeleteOnNoLinks.getInstance();
            case NO_MESSAGES -> DeleteOnNoMessages.getInstance();
            case NO_LINKS_OR_MESSAGES -> DeleteOnNoLinksOrMessages.getInstance();
        };
    }

    /** The one of that policy, or null if it is none of these. */
    static @Nullable NodeLife of(@Nullable Object policy) {
        for (NodeLife life : values()) {
            if (life.policy().equals(policy)) {
                return life;
            }
        }
        return null;
    }

    /** What is in force for a topic, which holds no messages that could keep it. */
    NodeLife ofTopic() {
        return byLinks ? NO_LINKS : CLOSE;
    }
}
