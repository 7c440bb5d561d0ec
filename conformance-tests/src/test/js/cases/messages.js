'use strict';
const assert = require('assert');
const { rhea, quiet, send, sendAll } = require('../peer.js');

const { types, message } = rhea;

async function roundTrip(broker, sent, options = {}) {
    const peer = await broker.open(options);
    const address = broker.name('queue');
    const sender = await peer.sender(address);
    assert.strictEqual((await send(sender, sent)).outcome, 'accepted');
    const inbox = await peer.inbox(address);
    inbox.receiver.add_credit(1);
    const context = await inbox.take();
    context.delivery.accept();
    return context.message;
}

async function largeBody(broker, bytes, maxFrameSize) {
    const body = Buffer.alloc(bytes);
    for (let i = 0; i < bytes; i += 997) body[i] = (i * 31) & 0xff;
    const received = await roundTrip(broker, { body: message.data_section(body), durable: true }, { max_frame_size: maxFrameSize });
    assert.strictEqual(received.body.content.length, bytes);
    assert.ok(received.body.content.equals(body));
}

module.exports = {
    'every kind of body arrives as it was sent': async (broker) => {
        const bodies = [
            'text', '', null, true, 42, -1.5, { a: 1, b: ['x', null] }, ['list', 1],
            message.data_section(Buffer.from('binary')), message.data_section(Buffer.alloc(0)),
            message.sequence_section(['a', 1]),
        ];
        for (const body of bodies) {
            const received = await roundTrip(broker, { body });
            const plain = (b) => (b && b.content !== undefined ? JSON.stringify(b.content) : b);
            assert.deepStrictEqual(plain(received.body), plain(body));
        }
    },
    'all properties arrive as they were sent': async (broker) => {
        const address = broker.name('queue');
        const sent = {
            durable: true,
            priority: 7,
            message_id: 'ID:42',
            user_id: undefined,
            to: address,
            subject: 'subject',
            reply_to: 'somewhere',
            correlation_id: types.wrap_ulong(12),
            content_type: 'text/plain',
            content_encoding: 'identity',
            absolute_expiry_time: Date.now() + 3600000,
            creation_time: 1700000000123,
            group_id: 'group',
            group_sequence: 3,
            reply_to_group_id: 'other group',
            body: 'x',
        };
        const received = await roundTrip(broker, sent);
        for (const field of ['durable', 'priority', 'message_id', 'to', 'subject', 'reply_to', 'content_type',
            'content_encoding', 'group_id', 'group_sequence', 'reply_to_group_id']) {
            assert.strictEqual(received[field], sent[field], field);
        }
        assert.strictEqual(Number(received.correlation_id), 12);
        assert.strictEqual(Number(received.creation_time), sent.creation_time);
        assert.strictEqual(Number(received.absolute_expiry_time), sent.absolute_expiry_time);
    },
    'application properties and annotations arrive as they were sent': async (broker) => {
        const received = await roundTrip(broker, {
            body: 'x',
            application_properties: { text: 'ü€😀', yes: true, long: types.wrap_long(-5), double: 2.5, none: null },
            message_annotations: { 'x-opt-mine': 'kept' },
        });
        assert.strictEqual(received.application_properties.text, 'ü€😀');
        assert.strictEqual(received.application_properties.yes, true);
        assert.strictEqual(received.application_properties.long, -5);
        assert.strictEqual(received.application_properties.double, 2.5);
        assert.strictEqual(received.application_properties.none, null);
        assert.strictEqual(received.message_annotations['x-opt-mine'], 'kept');
    },
    'the broker names exchange and routing key of a delivery [A-16]': async (broker) => {
        const peer = await broker.open();
        const topic = broker.name('topic');
        const source = { address: `/exchanges/amq.topic/${topic}` };
        const inbox = await peer.inbox(source, { credit_window: 10 });
        await send(await peer.sender(`/exchanges/amq.topic/${topic}`), { body: 'x' });
        const received = (await inbox.take()).message;
        assert.strictEqual(received.message_annotations['x-exchange'], 'amq.topic');
        assert.strictEqual(received.message_annotations['x-routing-key'], topic);
    },
    'a message without body sections is legal [M-13]': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('queue');
        const sender = await peer.sender(address);
        // One empty header section (0x70) and nothing else.
        const accepted = new Promise((resolve) => sender.once('accepted', resolve));
        sender.send(Buffer.from([0x00, 0x53, 0x70, 0x45]), undefined, 0);
        await accepted;
        const inbox = await peer.inbox(address);
        inbox.receiver.add_credit(1);
        (await inbox.take()).delivery.accept();
    },
    'a message over its time to live is not delivered': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('queue');
        const sender = await peer.sender(address);
        await send(sender, { body: 'short', ttl: 100, durable: true });
        await send(sender, { body: 'long', ttl: 60000, durable: true });
        await quiet(300);
        const inbox = await peer.inbox(address);
        inbox.receiver.add_credit(2);
        const { message: received } = await inbox.take();
        assert.strictEqual(received.body, 'long');
        assert.ok(received.ttl > 0 && received.ttl <= 60000 - 100, `remaining ttl ${received.ttl}`);
    },
    'higher priorities come first': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('queue');
        const sender = await peer.sender(address);
        await sendAll(sender, [0, 9, 4, 9, 0].map((priority, i) => ({ body: `${priority}.${i}`, priority, durable: true })));
        const inbox = await peer.inbox(address);
        inbox.receiver.add_credit(5);
        assert.deepStrictEqual(await inbox.accept(5), ['9.1', '9.3', '4.2', '0.0', '0.4']);
    },
    '1 MiB over frames of 4 KiB': (broker) => largeBody(broker, 1 << 20, 4096),
    '10 MiB over the broker\'s frames': (broker) => largeBody(broker, 10 << 20, undefined),
    'a large and many small messages on one session do not mix': async (broker) => {
        const peer = await broker.open({ max_frame_size: 8192 });
        const [big, small] = [broker.name('big'), broker.name('small')];
        const bigSender = await peer.sender(big);
        const smallSender = await peer.sender(small);
        const bigInbox = await peer.inbox(big, { credit_window: 1 });
        const smallInbox = await peer.inbox(small, { credit_window: 100 });
        const body = Buffer.alloc(3 << 20, 0x5a);
        const bigSent = send(bigSender, { body: message.data_section(body) });
        const smallSent = sendAll(smallSender, Array.from({ length: 100 }, (_, i) => ({ body: i })));
        const smallBodies = await smallInbox.accept(100);
        assert.deepStrictEqual(smallBodies, Array.from({ length: 100 }, (_, i) => i));
        const received = await bigInbox.take();
        assert.ok(received.message.body.content.equals(body));
        received.delivery.accept();
        await Promise.all([bigSent, smallSent]);
    },
};
