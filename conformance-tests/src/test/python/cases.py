"""Cases of python3-qpid-proton against a broker; each takes the broker's URL. Names become test names."""

import hashlib

from proton import Delivery, Message, symbol, ulong
from proton.reactor import AtMostOnce, Selector

from peer import Node, Peer, modify, settle, unique
from transactions import Work


def check(actual, expected):
    assert actual == expected, f"{actual!r} != {expected!r}"


def texts(count):
    return [f"body {i}" for i in range(count)]


def queue_of(peer, bodies):
    """A new queue that holds these bodies."""
    address = unique("queue")
    peer.send_all(peer.sender(address), [Message(body=b, durable=True) for b in bodies])
    return address


def a_thousand_messages_arrive_in_order(broker):
    peer = broker.open()
    address = queue_of(peer, texts(1000))
    receiver = peer.receiver(address, credit=100)
    received = []
    for _ in range(1000):
        received += receiver.accept(1)
        receiver.flow(1)
    check(received, texts(1000))


def non_durable_messages_arrive_in_order(broker):
    peer = broker.open()
    address = unique("queue")
    receiver = peer.receiver(address, credit=100)
    peer.send_all(peer.sender(address), [Message(body=b) for b in texts(100)])
    check(receiver.accept(100), texts(100))


def two_connections_exchange_messages(broker):
    left, right = broker.open(), broker.open()
    address = unique("queue")
    receiver = right.receiver(address, credit=10)
    check(left.send(left.sender(address), Message(body="x", durable=True)), ("accepted", None))
    check(receiver.accept(1), ["x"])


def credit_bounds_what_is_sent(broker):
    peer = broker.open()
    receiver = peer.receiver(queue_of(peer, texts(10)))
    receiver.flow(3)
    for _ in range(3):
        receiver.take()
    peer.run_for(0.2)
    check(receiver.inbox.arrived, [])


def drain_of_an_empty_queue_ends_at_once(broker):
    peer = broker.open()
    receiver = peer.receiver(unique("queue"))
    receiver.drain(10)
    check(receiver.inbox.arrived, [])


def drain_brings_what_is_there(broker):
    peer = broker.open()
    receiver = peer.receiver(queue_of(peer, texts(5)))
    receiver.drain(10)
    check(receiver.accept(5), texts(5))
    receiver.drain(10)
    check(receiver.inbox.arrived, [])


def accepted_removes(broker):
    peer = broker.open()
    receiver = peer.receiver(queue_of(peer, ["x"]), credit=1)
    receiver.accept(1)
    receiver.drain(1)
    check(receiver.inbox.arrived, [])


def released_comes_again_uncounted(broker):
    peer = broker.open()
    receiver = peer.receiver(queue_of(peer, ["x"]), credit=1)
    settle(receiver.take()[1], Delivery.RELEASED)
    receiver.flow(1)
    message, delivery = receiver.take()
    check((message.delivery_count, message.first_acquirer), (0, False))
    settle(delivery, Delivery.ACCEPTED)


def modified_failed_comes_again_counted(broker):
    peer = broker.open()
    receiver = peer.receiver(queue_of(peer, ["x"]))
    for count in range(3):
        receiver.flow(1)
        message, delivery = receiver.take()
        check(message.delivery_count, count)
        modify(delivery, failed=True)


def modified_undeliverable_here_goes_elsewhere(broker):
    peer = broker.open()
    address = queue_of(peer, ["x"])
    refusing = peer.receiver(address, credit=10)
    modify(refusing.take()[1], failed=True, undeliverable=True)
    peer.run_for(0.2)
    check(refusing.inbox.arrived, [])
    check(peer.receiver(address, credit=1).accept(1), ["x"])


def rejected_does_not_come_again(broker):
    peer = broker.open()
    receiver = peer.receiver(queue_of(peer, ["bad", "good"]), credit=1)
    settle(receiver.take()[1], Delivery.REJECTED)
    receiver.flow(1)
    check(receiver.accept(1), ["good"])
    receiver.drain(1)
    check(receiver.inbox.arrived, [])


def unsettled_messages_return_when_the_link_closes(broker):
    peer = broker.open()
    address = queue_of(peer, texts(3))
    receiver = peer.receiver(address, credit=3)
    for _ in range(3):
        receiver.take()
    receiver.close()
    check(peer.receiver(address, credit=3).accept(3), texts(3))


def presettled_both_ways(broker):
    peer = broker.open()
    address = unique("queue")
    peer.sender(address, options=AtMostOnce()).link.send(Message(body="fire and forget"))
    receiver = peer.receiver(address, options=AtMostOnce(), credit=1)
    message, delivery = receiver.take()
    check((message.body, delivery.settled), ("fire and forget", True))


def message_fields_survive(broker):
    peer = broker.open()
    address = unique("queue")
    sent = Message(
        body={"text": "ü", "list": [1, None, True]}, durable=True, priority=7, ttl=60, id="ID:1", subject="subject",
        reply_to="elsewhere", correlation_id=ulong(5), content_type=symbol("application/x"), group_id="g",
        group_sequence=3, properties={"text": "t", "number": 5, "flag": False, "real": 1.5})
    peer.send(peer.sender(address), sent)
    received, delivery = peer.receiver(address, credit=1).take()
    settle(delivery, Delivery.ACCEPTED)
    for field in ("body", "durable", "priority", "id", "subject", "reply_to", "correlation_id", "content_type",
                  "group_id", "group_sequence", "properties"):
        check((field, getattr(received, field)), (field, getattr(sent, field)))
    assert 0 < received.ttl <= 60


def empty_and_null_bodies(broker):
    peer = broker.open()
    address = unique("queue")
    bodies = ["", b"", None, [], {}]
    peer.send_all(peer.sender(address), [Message(body=b) for b in bodies])
    check(peer.receiver(address, credit=10).accept(len(bodies)), bodies)


def ten_mebibytes_over_small_frames(broker):
    peer = broker.open(max_frame_size=16384)
    address = unique("queue")
    body = hashlib.sha256(b"seed").digest() * (10 * 1024 * 1024 // 32)
    check(peer.send(peer.sender(address), Message(body=body, inferred=True, durable=True)), ("accepted", None))
    received, delivery = peer.receiver(address, credit=1).take(60)
    settle(delivery, Delivery.ACCEPTED)
    assert bytes(received.body) == body


def many_links_on_one_session(broker):
    peer = broker.open()
    addresses = [unique("queue") for _ in range(100)]
    receivers = [peer.receiver(a, credit=1) for a in addresses]
    for address in addresses:
        check(peer.send(peer.sender(address), Message(body=address)), ("accepted", None))
    for address, receiver in zip(addresses, receivers):
        check(receiver.accept(1), [address])


def an_idle_connection_lives_by_heartbeats(broker):
    peer = broker.open(heartbeat=3)
    sender = peer.sender(unique("queue"))
    peer.run_for(7)
    check(peer.send(sender, Message(body="alive")), ("accepted", None))


def topic_reaches_every_subscriber(broker):
    peer = broker.open()
    topic = unique("topic")
    receivers = [peer.receiver(topic, options=Node("topic"), credit=5) for _ in range(3)]
    check(peer.send(peer.sender(topic, options=Node("topic")), Message(body="news")), ("accepted", None))
    for receiver in receivers:
        check(receiver.accept(1), ["news"])


def durable_subscription_resumes_by_link_name(broker):
    topic, container = unique("topic"), unique("container")
    publisher = broker.open()
    sender = publisher.sender(topic, options=Node("topic"))
    first = broker.open(container_id=container)
    subscription = first.receiver(topic, options=Node("topic", durable=True), name="sub", credit=5)
    publisher.send(sender, Message(body="1", durable=True))
    check(subscription.accept(1), ["1"])
    subscription.raw.detach()
    first.close()
    publisher.send(sender, Message(body="2", durable=True))
    second = broker.open(container_id=container)
    subscription = second.receiver(topic, options=Node("topic", durable=True), name="sub", credit=5)
    check(subscription.accept(1), ["2"])
    subscription.close()


def browsing_takes_nothing(broker):
    peer = broker.open()
    address = queue_of(peer, texts(3))
    browser = peer.receiver(address, options=[Node(browse=True), AtMostOnce()])
    browser.drain(10)
    check([m.body for m, _ in browser.inbox.arrived], texts(3))
    check(peer.receiver(address, credit=3).accept(3), texts(3))


def anonymous_relay(broker):
    peer = broker.open()
    address = unique("queue")
    receiver = peer.receiver(address, credit=5)
    relay = peer.sender(None)
    check(peer.send(relay, Message(address=address, body="relayed")), ("accepted", None))
    check(receiver.accept(1), ["relayed"])
    check(peer.send(relay, Message(address="/queues/missing", body="x")), ("rejected", "amqp:not-found"))
    check(peer.send(relay, Message(address="/queues/a b", body="x")), ("rejected", "amqp:precondition-failed"))
    check(peer.send(relay, Message(address=address, body="x")), ("accepted", None))


def dynamic_reply_address(broker):
    client, server = broker.open(), broker.open()
    address = unique("requests")
    requests = server.receiver(address, credit=5)
    replies = client.receiver(None, dynamic=True, credit=5)
    reply_to = replies.raw.remote_source.address
    client.send(client.sender(address), Message(body="ping", reply_to=reply_to))
    request, delivery = requests.take()
    settle(delivery, Delivery.ACCEPTED)
    server.send(server.sender(request.reply_to), Message(body="pong"))
    check(replies.accept(1), ["pong"])


def a_transaction_takes_and_sends_together(broker):
    peer = broker.open()
    source = queue_of(peer, ["1", "2"])
    target = queue_of(peer, [])
    receiver = peer.receiver(source, credit=1)
    message, delivery = receiver.take()
    work = Work(peer)
    work.accept(delivery)
    work.send(peer.sender(target), message.body)
    check(work.commit(), "committed")
    receiver.close()
    check(peer.receiver(source, credit=1).accept(1), ["2"])
    check(peer.receiver(target, credit=1).accept(1), ["1"])


def an_aborted_transaction_leaves_no_trace(broker):
    peer = broker.open()
    address = unique("queue")
    sender = peer.sender(address)
    aborted = Work(peer)
    aborted.send(sender, "never")
    check(aborted.abort(), "aborted")
    committed = Work(peer)
    committed.send(sender, "kept")
    check(committed.commit(), "committed")
    check(peer.receiver(address, credit=5).accept(1), ["kept"])


def a_refused_message_fails_the_commit(broker):
    peer = broker.open()
    work = Work(peer)
    work.send(peer.sender("/exchanges/amq.direct/nowhere"), "lost")
    check(work.commit(), "commit failed")


def missing_nodes_are_not_found(broker):
    peer = broker.open()
    check(peer.refusal(lambda: peer.sender("/queues/missing")), "amqp:not-found")
    check(peer.refusal(lambda: peer.receiver("/queues/missing")), "amqp:not-found")
    check(peer.refusal(lambda: peer.sender("/exchanges/missing/key")), "amqp:not-found")


def malformed_addresses_are_invalid_fields(broker):
    peer = broker.open()
    for address in ("/queues/a b", "/queues/", "/queues/%zz", "/exchanges/"):
        check(peer.refusal(lambda: peer.receiver(address)), "amqp:invalid-field")


def selectors_take_what_matches_and_leave_the_rest(broker):
    peer = broker.open()
    address = unique("queue")
    messages = [Message(body=n, properties={"a": n % 2}, durable=True) for n in range(4)]
    peer.send_all(peer.sender(address), messages)
    check(peer.receiver(address, options=Selector("a = 1"), credit=5).accept(2), [1, 3])
    check(peer.receiver(address, credit=5).accept(2), [0, 2])


def selectors_that_are_none_are_invalid_fields(broker):
    peer = broker.open()
    refusal = peer.refusal(lambda: peer.receiver(unique("queue"), options=Selector("a = = 1")))
    check(refusal, "amqp:invalid-field")


def a_receiver_that_comes_back_gets_what_was_unsettled_again(broker):
    container = unique("container")
    address = unique("queue")
    lost = broker.open(container_id=container)
    lost.send(lost.sender(address), Message(body="once more", durable=True))
    receiver = lost.receiver(address, options=Node(durable=True), name="kept", credit=5)
    check(receiver.take()[0].body, "once more")
    lost.cut()

    back = broker.open(container_id=container)
    check(back.receiver(address, options=Node(durable=True), name="kept", credit=5).accept(1), ["once more"])


def a_durable_subscription_collects_while_its_connection_is_lost(broker):
    container = unique("container")
    address = unique("topic")
    lost = broker.open(container_id=container)
    lost.receiver(address, options=Node("topic", durable=True), name="news", credit=5)
    lost.cut()
    other = broker.open()
    other.send(other.sender(address, options=Node("topic")), Message(body="meanwhile", durable=True))

    back = broker.open(container_id=container)
    again = back.receiver(address, options=Node("topic", durable=True), name="news", credit=5)
    check(again.accept(1), ["meanwhile"])
    again.close()


CASES = [
    a_thousand_messages_arrive_in_order,
    non_durable_messages_arrive_in_order,
    two_connections_exchange_messages,
    credit_bounds_what_is_sent,
    drain_of_an_empty_queue_ends_at_once,
    drain_brings_what_is_there,
    accepted_removes,
    released_comes_again_uncounted,
    modified_failed_comes_again_counted,
    modified_undeliverable_here_goes_elsewhere,
    rejected_does_not_come_again,
    unsettled_messages_return_when_the_link_closes,
    presettled_both_ways,
    message_fields_survive,
    empty_and_null_bodies,
    ten_mebibytes_over_small_frames,
    many_links_on_one_session,
    an_idle_connection_lives_by_heartbeats,
    topic_reaches_every_subscriber,
    durable_subscription_resumes_by_link_name,
    browsing_takes_nothing,
    anonymous_relay,
    dynamic_reply_address,
    a_transaction_takes_and_sends_together,
    an_aborted_transaction_leaves_no_trace,
    a_refused_message_fails_the_commit,
    missing_nodes_are_not_found,
    malformed_addresses_are_invalid_fields,
    selectors_take_what_matches_and_leave_the_rest,
    selectors_that_are_none_are_invalid_fields,
    a_receiver_that_comes_back_gets_what_was_unsettled_again,
    a_durable_subscription_collects_while_its_connection_is_lost,
]
