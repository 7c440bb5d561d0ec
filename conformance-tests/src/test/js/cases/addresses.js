'use strict';
const assert = require('assert');
const { rhea, event, send, sendAll } = require('../peer.js');

const { types } = rhea;

// The terminus of AMQP 1.0 section 4.5.1, which rhea does not know.
const COORDINATOR = types.define_composite({
    name: 'coordinator', code: 0x30, fields: [{ name: 'capabilities', type: 'symbol', multiple: true }],
});

const MALFORMED_V2 = [
    '/queues/', '/queues/a b', '/queues/a%2', '/queues/%zz', '/queues/a/b', '/exchanges/', '/exchanges//key',
    '/exchanges/amq.default', '/exchanges/amq.default/key', '/exchanges/a/b/c', '/queues/ü', '/exchanges/a%F',
];

module.exports = {
    'a malformed v2 address is refused with amqp:invalid-field [A-10]': async (broker) => {
        const peer = await broker.open();
        for (const address of MALFORMED_V2) {
            for (const kind of ['sender', 'receiver']) {
                const error = await peer.refusal(kind, kind === 'sender' ? { target: { address } } : { source: { address } });
                assert.strictEqual(error.condition, 'amqp:invalid-field', `${kind} ${address}: ${error.description}`);
            }
        }
    },
    'a missing v2 queue is refused with amqp:not-found that names it [A-15]': async (broker) => {
        const peer = await broker.open();
        for (const kind of ['sender', 'receiver']) {
            const address = '/queues/no%20such';
            const error = await peer.refusal(kind, kind === 'sender' ? { target: { address } } : { source: { address } });
            assert.strictEqual(error.condition, 'amqp:not-found');
            assert.match(error.description, /no such/);
        }
    },
    'a missing exchange is refused with amqp:not-found': async (broker) => {
        const peer = await broker.open();
        const error = await peer.refusal('sender', { target: { address: '/exchanges/no-such-exchange/key' } });
        assert.strictEqual(error.condition, 'amqp:not-found');
    },
    'a refusal leaves the connection and other links alone': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('queue');
        const sender = await peer.sender(address);
        await peer.refusal('receiver', { source: { address: '/queues/missing' } });
        assert.strictEqual((await send(sender, { body: 'x' })).outcome, 'accepted');
    },
    'a selector takes what matches and leaves the rest [S-11]': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('queue');
        const sender = await peer.sender(address);
        for (const a of [0, 1, 0, 1]) await send(sender, { body: `m${a}`, application_properties: { a } });
        const filter = rhea.filter.selector('a = 1');
        const ones = await peer.inbox({ address, filter }, { credit_window: 10 });
        assert.deepStrictEqual(await ones.accept(2), ['m1', 'm1']);
        const rest = await peer.inbox({ address }, { credit_window: 10 });
        assert.deepStrictEqual(await rest.accept(2), ['m0', 'm0']);
    },
    'a selector that is none is refused with amqp:invalid-field [J-6]': async (broker) => {
        const peer = await broker.open();
        const filter = rhea.filter.selector('a = = 1');
        const error = await peer.refusal('receiver', { source: { address: broker.name('queue'), filter } });
        assert.strictEqual(error.condition, 'amqp:invalid-field');
    },
    'a transaction coordinator grants what it can do': async (broker) => {
        const peer = await broker.open();
        const target = COORDINATOR.create({ capabilities: ['amqp:local-transactions'] });
        const link = peer.connection.open_sender({ target });
        await event(link, 'sendable');
        assert.ok(!link.error);
    },
    'consumers of a shared subscription share its messages [mapping 4.5]': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('topic');
        const source = { address, capabilities: ['topic', 'shared'] };
        const one = await peer.inbox(source, { name: 'news|volatile1', credit_window: 1 });
        const two = await peer.inbox(source, { name: 'news|volatile2', credit_window: 1 });
        const sender = await peer.sender({ address, capabilities: ['topic'] });
        for (const body of ['a', 'b']) await send(sender, { body });
        const bodies = [...await one.accept(1), ...await two.accept(1)];
        assert.deepStrictEqual(bodies.sort(), ['a', 'b']);
    },
    'queue names of every form reach the same queue [A-9]': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('queue ü');
        const inbox = await peer.inbox({ address, capabilities: ['queue'] }, { credit_window: 10 });
        for (const target of [address, `/queues/${encodeURIComponent(address)}`, `queue://${address}`,
            { address, capabilities: ['queue'] }]) {
            assert.strictEqual((await send(await peer.sender(target), { body: 'x' })).outcome, 'accepted', String(target));
            await inbox.accept(1);
        }
    },
    'topic names of every form reach the same topic [A-9]': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('topic');
        const levels = address.split('.').map(encodeURIComponent).join('/');
        const sources = [`topic://${address}`, `/exchanges/amq.topic/${address}`, `/topics/${levels}`,
            { address, capabilities: ['topic'] }];
        const inboxes = [];
        for (const source of sources) inboxes.push(await peer.inbox(source, { credit_window: 10 }));
        for (const target of sources) {
            assert.strictEqual((await send(await peer.sender(target), { body: 'x' })).outcome, 'accepted');
            for (const inbox of inboxes) await inbox.accept(1);
        }
    },
    'a topic without subscribers accepts [J-2]': async (broker) => {
        const peer = await broker.open();
        const sender = await peer.sender({ address: broker.name('topic'), capabilities: ['topic'] });
        assert.strictEqual((await send(sender, { body: 'x' })).outcome, 'accepted');
    },
    'an unroutable message to an exchange is released [J-2]': async (broker) => {
        const peer = await broker.open();
        const sender = await peer.sender('/exchanges/amq.direct/nobody');
        assert.strictEqual((await send(sender, { body: 'x' })).outcome, 'released');
    },
    'topic wildcards match whole words [A-1]': async (broker) => {
        const peer = await broker.open();
        const base = broker.name('t');
        const star = await peer.inbox({ address: `${base}.*`, capabilities: ['topic'] }, { credit_window: 10 });
        const hash = await peer.inbox({ address: `${base}.#`, capabilities: ['topic'] }, { credit_window: 10 });
        for (const key of ['', '.a', '.a.b']) {
            await send(await peer.sender({ address: base + key, capabilities: ['topic'] }), { body: key });
        }
        assert.deepStrictEqual(await hash.accept(3), ['', '.a', '.a.b']);
        assert.deepStrictEqual(await star.accept(1), ['.a']);
        await star.expectNone(100);
    },
    'the anonymous relay routes by the to property': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('queue');
        const inbox = await peer.inbox(address, { credit_window: 10 });
        const relay = await peer.sender({ address: null });
        assert.strictEqual((await send(relay, { to: address, body: 'relayed', durable: true })).outcome, 'accepted');
        assert.deepStrictEqual(await inbox.accept(1), ['relayed']);
    },
    'the anonymous relay rejects what it cannot place, and goes on': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('queue');
        await peer.inbox(address);
        const relay = await peer.sender({ address: null });
        const missing = await send(relay, { to: '/queues/missing', body: 'x' });
        assert.strictEqual(missing.outcome, 'rejected');
        assert.strictEqual(missing.error.condition, 'amqp:not-found');
        const malformed = await send(relay, { to: '/queues/a b', body: 'x' });
        assert.strictEqual(malformed.outcome, 'rejected');
        assert.strictEqual(malformed.error.condition, 'amqp:precondition-failed');
        assert.strictEqual((await send(relay, { body: 'no to' })).outcome, 'rejected');
        assert.strictEqual((await send(relay, { to: address, body: 'x' })).outcome, 'accepted');
    },
    'a dynamic source is a temporary queue: request and reply': async (broker) => {
        const client = await broker.open();
        const server = await broker.open();
        const address = broker.name('requests');
        const requests = await server.inbox(address, { credit_window: 10 });
        const replies = await client.inbox({ address: null, dynamic: true }, { credit_window: 10 });
        const replyTo = replies.receiver.source.address;
        assert.ok(replyTo && replyTo.length > 0);
        await send(await client.sender(address), { body: 'ping', reply_to: replyTo, correlation_id: 'c1' });
        const { message, delivery } = await requests.take();
        delivery.accept();
        const answer = await server.sender(message.reply_to);
        await send(answer, { body: 'pong', correlation_id: message.correlation_id });
        const reply = await replies.take();
        assert.strictEqual(reply.message.body, 'pong');
        assert.strictEqual(reply.message.correlation_id, 'c1');
    },
    'a dynamic target is a temporary queue that goes with its link': async (broker) => {
        const peer = await broker.open();
        const sender = await peer.sender({ address: null, dynamic: true });
        const { address } = sender.target;
        const inbox = await peer.inbox(address, { credit_window: 1 });
        await send(sender, { body: 'x' });
        await inbox.accept(1);
        const gone = event(sender, 'sender_close');
        inbox.receiver.close();
        await event(inbox.receiver, 'receiver_close');
        sender.close();
        await gone;
        const error = await peer.refusal('receiver', { source: { address } });
        assert.strictEqual(error.condition, 'amqp:not-found');
    },
    'browsing takes nothing away': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('queue');
        await sendAll(await peer.sender(address), ['a', 'b', 'c'].map((body) => ({ body, durable: true })));
        const browser = await peer.inbox({ address, distribution_mode: 'copy' }, { snd_settle_mode: 1 });
        browser.receiver.add_credit(10);
        await browser.drain();
        assert.deepStrictEqual(browser.arrived.map((c) => c.message.body), ['a', 'b', 'c']);
        const inbox = await peer.inbox(address, { credit_window: 10 });
        assert.deepStrictEqual(await inbox.accept(3), ['a', 'b', 'c']);
    },
    'a durable subscription collects while its link is detached, until it is closed': async (broker) => {
        const container = broker.name('container');
        const address = broker.name('topic');
        const source = { address, capabilities: ['topic'], durable: 2, expiry_policy: 'never' };
        const publisher = await broker.open();
        const sender = await publisher.sender({ address, capabilities: ['topic'] });

        const first = await broker.open({ container_id: container });
        const subscription = await first.inbox(source, { name: 'sub', credit_window: 10 });
        await send(sender, { body: 'live', durable: true });
        assert.deepStrictEqual(await subscription.accept(1), ['live']);
        subscription.receiver.detach();
        await event(subscription.receiver, 'receiver_close');
        await first.close();
        await send(sender, { body: 'while away', durable: true });

        const second = await broker.open({ container_id: container });
        const resumed = await second.inbox(source, { name: 'sub', credit_window: 10 });
        assert.deepStrictEqual(await resumed.accept(1), ['while away']);
        resumed.receiver.close();
        await event(resumed.receiver, 'receiver_close');
        await send(sender, { body: 'after unsubscribe', durable: true });
        const fresh = await second.inbox(source, { name: 'sub', credit_window: 10 });
        await fresh.expectNone(200);
        fresh.receiver.close();
        await event(fresh.receiver, 'receiver_close');
    },
};
