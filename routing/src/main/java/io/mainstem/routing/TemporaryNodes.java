package io.mainstem.routing;

import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Queues and topics that go with the session that made them [J-7], ADR 0072. Only that session consumes from them and binds
 * them; whoever knows the exact name may send. A temporary topic is a key of {@code amq.topic} that no wildcard stands for
 * and that retains nothing. Names are made by {@link TemporaryNames}.
 *
 * <p>Thread: the session's event loop.
 */
public interface TemporaryNodes {
    /**
     * Makes a temporary queue; completes like a declaration, with LOCKED if the wanted name is in use.
     *
     * @param id fresh, to make a name of
     * @param wanted name of one that the same user had under the same client id, on a connection that was lost, or null
     */
    CompletionStage<QueueInfo> makeQueue(UUID id, @Nullable String wanted);

    /** It is gone at once for those who send; completes when its name is free. Failure means that it was gone already. */
    CompletionStage<Long> deleteQueue(String name);

    /**
     * Makes a temporary topic.
     *
     * @param wanted key of one that the same user had, as above
     * @return its key
     * @throws BrokerException {@link ErrorKind#LOCKED} if the wanted one belongs to a session that lives
     */
    String makeTopic(UUID id, @Nullable String wanted);

    /** It is gone at once. Idempotent. */
    void deleteTopic(String key);
}
