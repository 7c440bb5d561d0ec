package io.mainstem.amqp.v1;

import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.LinkError;
import org.apache.qpid.proton.amqp.transport.Role;

/**
 * A connection's links by name and direction. A name that is attached again while it is in use moves to the new link
 * (AMQP 1.0 part 2, 2.6.1). Thread: the connection's event loop.
 */
final class LinkNames {
    private final Map<Name, AmqpLink> links = new HashMap<>();

    private record Name(String name, Role role) {}

    /** Detaches the link that has the name, so that what it held is free for the next one. */
    void steal(Attach attach) {
        AmqpLink holder = links.get(new Name(attach.getName(), attach.getRole()));
        if (holder != null) {
            holder.steal(new ErrorCondition(LinkError.STOLEN, "MS-0507 attached again under the name " + holder.name));
        }
    }

    void put(Attach attach, AmqpLink link) {
        links.put(new Name(attach.getName(), attach.getRole()), link);
    }

    void remove(AmqpLink link) {
        Role role = link instanceof InboundLink ? Role.SENDER : Role.RECEIVER;
        links.remove(new Name(link.name, role), link);
    }
}
