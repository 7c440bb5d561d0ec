package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.management.ManagementNode;
import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.MessageHeader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.SenderSettleMode;
import org.jspecify.annotations.Nullable;

/**
 * The links to {@code /management}: two of one name in one session, one for requests and one for responses [mapping 5.2].
 *
 * <p>Thread: the connection's event loop.
 */
final class ManagementLinks {
    static final String ADDRESS = "/management";

    private static final Symbol PAIRED = Symbol.valueOf("paired");
    private static final int REQUEST_CREDIT = 8;

    private final ManagementNode node;
    private final Map<Pair, ReplyLink> replies = new HashMap<>();

    private record Pair(AmqpSession session, String name) {}

    ManagementLinks(ManagementNode node) {
        this.node = node;
    }

    /**
     * The peer attaches the half on which it asks.
     *
     * @param reply ours, whose target is set here
     * @throws AmqpException for the link
     */
    void attachRequests(InboundLink link, Attach request, Attach reply) {
        checkPaired(request);
        Target target = new Target();
        target.setAddress(ADDRESS);
        reply.setTarget(target);
        reply.setProperties(Map.of(PAIRED, true));
        Pair pair = new Pair(link.session, link.name);
        link.attached(reply, new Requests(pair), null);
    }

    /**
     * The peer attaches the half on which it is answered.
     *
     * @param reply ours, whose source is set here
     * @throws AmqpException for the link
     */
    void attachReplies(OutboundLink link, Attach request, Attach reply) {
        checkPaired(request);
        Source source = new Source();
        source.setAddress(ADDRESS);
        reply.setSource(source);
        reply.setSndSettleMode(SenderSettleMode.SETTLED);
        reply.setProperties(Map.of(PAIRED, true));
        Pair pair = new Pair(link.session, link.name);
        ReplyLink replyLink =
                new ReplyLink(link, link.session.connection().context().executor(), () -> replies.remove(pair));
        replies.put(pair, replyLink);
        link.attached(reply, replyLink, false, null);
    }

    private static void checkPaired(Attach request) {
        Map<?, ?> properties = request.getProperties();
        if (properties == null || !Boolean.TRUE.equals(properties.get(PAIRED))) {
            throw AmqpException.link(
                    AmqpError.INVALID_FIELD,
                    "MS-0544 link to " + ADDRESS + " without property paired = true (expected: a sender and a receiver"
                            + " of one name, both paired)");
        }
    }

    /** Takes requests. */
    private final class Requests implements PublishTarget {
        private final Pair pair;

        Requests(Pair pair) {
            this.pair = pair;
        }

        @Override
        public void publish(@Nullable MessageHeader header, List<byte[]> payload, long tag, InboundLink link) {
            ReplyLink to = replies.get(pair);
            if (to == null) {
                throw AmqpException.link(
                        AmqpError.PRECONDITION_FAILED,
                        "MS-0544 request on '" + pair.name() + "', but no receiver of that name is attached to "
                                + ADDRESS);
            }
            ManagementMessages.Correlated asked = ManagementMessages.decode(payload);
            link.postponed();
            AmqpConnection connection = link.session.connection();
            node.handle(asked.request())
                    .thenAccept(response -> to.send(
                            ManagementMessages.encode(
                                    response,
                                    asked.messageId(),
                                    connection.clock().millis()),
                            () -> link.onPublished(tag, new PublishResult.Stored(0))));
        }

        @Override
        public boolean takesPostings() {
            return false;
        }

        @Override
        public int creditMax() {
            return REQUEST_CREDIT;
        }
    }
}
