package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("[3.5.10] nodes that the links of one connection have made")
final class DynamicNodesTest {
    private final DynamicNodes nodes =
            new DynamicNodes(new ConcurrentHashMap<>(), "/", ImmediateEventExecutor.INSTANCE);

    private DynamicNode made(int number) {
        return nodes.made(
                "node" + number,
                NodeLife.CLOSE,
                TerminusExpiryPolicy.CONNECTION_CLOSE,
                ifEmpty -> CompletableFuture.completedFuture(null));
    }

    @Test
    @DisplayName("are bounded, whether their links are there or detached, until some are gone")
    void bounded() {
        DynamicNode first = made(0);
        for (int number = 1; number < DynamicNodes.NODES_MAX; number++) {
            assertThat(nodes.full()).isFalse();
            made(number);
        }
        assertThat(nodes.full()).isTrue();

        assertThat(first.ended()).isCompleted();

        assertThat(nodes.full()).isFalse();
    }
}
