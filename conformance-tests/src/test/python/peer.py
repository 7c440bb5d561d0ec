"""Blocking use of proton for the cases: links whose waits are bounded, and outcomes as values."""

import uuid

from proton import Delivery, Terminus, Timeout, symbol
from proton.handlers import IncomingMessageHandler
from proton.reactor import Container, LinkOption
from proton.utils import BlockingConnection, LinkDetached

WAIT_SECONDS = 60.0

OUTCOMES = {
    Delivery.ACCEPTED: "accepted",
    Delivery.REJECTED: "rejected",
    Delivery.RELEASED: "released",
    Delivery.MODIFIED: "modified",
}


class Inbox(IncomingMessageHandler):
    """Takes messages one by one and settles none by itself."""

    def __init__(self):
        super().__init__(auto_accept=False)
        self.arrived = []

    def on_message(self, event):
        self.arrived.append((event.message, event.delivery))


class Node(LinkOption):
    """The terminus at the broker's side: capability, durability, and browsing or not."""

    def __init__(self, capability=None, durable=False, browse=False):
        self.capability = capability
        self.durable = durable
        self.browse = browse

    def apply(self, link):
        terminus = link.source if link.is_receiver else link.target
        if self.capability:
            terminus.capabilities.put_object(symbol(self.capability))
        if self.durable:
            terminus.durability = Terminus.DELIVERIES
            terminus.expiry_policy = Terminus.EXPIRE_NEVER
        if self.browse:
            terminus.distribution_mode = Terminus.DIST_MODE_COPY


class Receiver:
    def __init__(self, peer, address, options=None, name=None, dynamic=False, credit=0):
        self.peer = peer
        self.inbox = Inbox()
        # proton's default name is made of the address, so that two links to one node would be one link.
        self.link = peer.connection.create_receiver(
            address, credit=credit, dynamic=dynamic, handler=self.inbox, name=name or str(uuid.uuid4()), options=options)
        self.raw = self.link.link

    def flow(self, credit):
        self.raw.flow(credit)

    def take(self, seconds=WAIT_SECONDS):
        """The next message and its delivery."""
        self.peer.wait(lambda: self.inbox.arrived, f"message on {self.raw.name}", seconds)
        return self.inbox.arrived.pop(0)

    def accept(self, count):
        """Takes and accepts so many; gives their bodies."""
        bodies = []
        for _ in range(count):
            message, delivery = self.take()
            settle(delivery, Delivery.ACCEPTED)
            bodies.append(message.body)
        return bodies

    def drain(self, credit):
        """Asks for up to `credit` messages now; returns when the broker says that it is all."""
        self.raw.drain(credit)
        self.peer.wait(lambda: self.raw.credit == 0 and not self.raw.draining(), "drained")
        self.raw.drain_mode = False

    def close(self):
        self.link.close()


class Peer:
    def __init__(self, url, container_id=None, **options):
        self.lost = False
        container = Container()
        if container_id:
            container.container_id = container_id
        self.connection = BlockingConnection(url, timeout=WAIT_SECONDS, container=container, **options)

    def wait(self, condition, what, seconds=WAIT_SECONDS):
        self.connection.wait(condition, timeout=seconds, msg=what)

    def run_for(self, seconds):
        """Keeps the connection going for a while in which nothing need happen."""
        try:
            self.connection.wait(lambda: False, timeout=seconds, msg="quiet time")
        except Timeout:
            pass

    def sender(self, address, options=None, name=None):
        return self.connection.create_sender(address, options=options, name=name or str(uuid.uuid4()))

    def receiver(self, address, **options):
        return Receiver(self, address, **options)

    def send(self, sender, message):
        """The name of the outcome and its condition, if any."""
        delivery = sender.link.send(message)
        self.wait(lambda: delivery.settled or delivery.remote_state in OUTCOMES, "outcome")
        condition = delivery.remote.condition
        outcome = OUTCOMES.get(delivery.remote_state, str(delivery.remote_state))
        delivery.settle()
        return outcome, condition.name if condition else None

    def send_all(self, sender, messages):
        """Sends in order within the broker's credit; returns when all are accepted."""
        pending = []
        for message in messages:
            if not sender.link.credit:
                self.wait(lambda: sender.link.credit, "credit")
            pending.append(sender.link.send(message))
        self.wait(lambda: all(d.remote_state in OUTCOMES for d in pending), "outcomes")
        assert all(d.remote_state == Delivery.ACCEPTED for d in pending)
        for delivery in pending:
            delivery.settle()

    def refusal(self, make):
        """The condition by which the broker refuses the link that `make` opens."""
        try:
            make()
        except LinkDetached as detached:
            return detached.condition
        raise AssertionError("expected a refusal")

    def cut(self):
        """Ends the TCP connection without a close frame."""
        self.lost = True
        # proton has no way to do that; its selectable knows the socket.
        self.connection.conn.transport._selectable._delegate.close()

    def close(self):
        if not self.lost:
            self.connection.close()


def settle(delivery, state):
    delivery.update(state)
    delivery.settle()


def modify(delivery, failed, undeliverable=False):
    delivery.local.failed = failed
    delivery.local.undeliverable = undeliverable
    settle(delivery, Delivery.MODIFIED)


def unique(kind):
    return f"proton.{kind}.{uuid.uuid4()}"
