package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages of which the rest has not come share a budget. */
final class IncompleteMessagesTest {
    @TempDir
    Path folder;

    @Test
    @DisplayName("incomplete messages of one connection have a share; other connections are not concerned")
    void incompleteMessagesOfOneConnection() throws IOException {
        AmqpLimits limits = new AmqpLimits(4096, 8, 8, 64_000, 512_000, 10, 60_000);
        try (TestServer small = new TestServer(folder, limits);
                ScriptedPeer one = small.open("one");
                ScriptedPeer other = small.open("other")) {
            one.begin(0);
            other.begin(0);
            for (int link = 0; link < 3; link++) {
                one.attachSender(link, "large");
                one.expect(Flow.class);
                for (int i = 0; i < (link == 2 ? 1 : 11); i++) {
                    Transfer transfer = ScriptedPeer.transfer(link, link);
                    transfer.setMore(true);
                    one.send(0, transfer, new byte[4000]);
                }
            }
            Detach detach = one.awaitBody(Detach.class);
            assertThat(detach.getHandle().intValue()).isEqualTo(2);
            assertThat((Object) detach.getError().getCondition()).isEqualTo(AmqpError.RESOURCE_LIMIT_EXCEEDED);

            other.attachSender(0, "large");
            Transfer half = ScriptedPeer.transfer(0, 0);
            half.setMore(true);
            byte[] message = ScriptedPeer.data((byte) 1);
            other.send(0, half, Arrays.copyOf(message, 3));
            other.send(0, ScriptedPeer.transfer(0, 0), Arrays.copyOfRange(message, 3, message.length));
            assertThat(other.awaitBody(Disposition.class).getState()).isEqualTo(Accepted.getInstance());
        }
    }
}
