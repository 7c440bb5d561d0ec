package io.mainstem.routing;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A transaction whose outcome somebody else decides (XA). Until {@link #prepare} it is a {@link Transaction} like any
 * other, its end without that included: {@link #commit} is the one-phase commit.
 */
public interface Branch extends Transaction {
    /**
     * Promises that both outcomes are possible from now on, whatever happens to session and broker: what is durable of
     * it is on disk when this completes, invisible and locked. Ends this object; {@link BrokerSession#commitPrepared}
     * or {@link BrokerSession#rollbackPrepared} of any session decides. Fails as {@link #commit} does, and then all is
     * undone.
     *
     * <p>Messages that are not durable are kept in memory and do not survive the broker; of settlements in a restarted
     * broker only {@code accepted} and plain {@code rejected} count, all others are as {@code released}.
     */
    CompletionStage<@Nullable Void> prepare();
}
