package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    @ParameterizedTest
    @CsvSource({"tag, false", "format, false", "tag, true", "format, true", "neither, true"})
    @DisplayName(
            "transport 2.7.5: a frame that goes on with another delivery-tag or message-format is an error, the same one is none")
    void continuations(String what, boolean same) throws IOException {
        AmqpLimits limits = new AmqpLimits(4096, 8, 8, 64_000, 512_000, 10, 60_000);
        try (TestServer server = new TestServer(folder, limits);
                ScriptedPeer peer = server.open("peer")) {
            peer.begin(0);
            peer.attachSender(0, "q");
            peer.expect(Flow.class);
            byte[] message = ScriptedPeer.data((byte) 1);
            Transfer first = ScriptedPeer.transfer(0, 0);
            first.setMore(true);
            first.setMessageFormat(UnsignedInteger.ZERO);
            peer.send(0, first, Arrays.copyOf(message, 3));
            Transfer second = new Transfer();
            second.setHandle(UnsignedInteger.ZERO);
            if (what.equals("tag")) {
                second.setDeliveryTag(same ? first.getDeliveryTag() : new Binary(new byte[] {9, 9}));
            } else if (what.equals("format")) {
                second.setMessageFormat(same ? UnsignedInteger.ZERO : UnsignedInteger.valueOf(7));
            }
            peer.send(0, second, Arrays.copyOfRange(message, 3, message.length));

            if (same) {
                assertThat(peer.awaitBody(Disposition.class).getState()).isEqualTo(Accepted.getInstance());
            } else {
                Detach detach = peer.awaitBody(Detach.class);
                assertThat((Object) detach.getError().getCondition()).isEqualTo(AmqpError.NOT_ALLOWED);
                assertThat(detach.getError().getDescription()).contains("MS-0507", "goes on with");
            }
        }
    }
}
