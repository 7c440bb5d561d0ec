'use strict';
const assert = require('assert');
const { event, quiet, send, sendAll } = require('../peer.js');

const bodies = (count) => Array.from({ length: count }, (_, i) => i);

module.exports = {
    'a small credit window delivers everything in order': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('queue');
        const inbox = await peer.inbox(address, { credit_window: 7 });
        const received = inbox.accept(1000);
        await sendAll(await peer.sender(address), bodies(1000).map((body) => ({ body, durable: true })));
        assert.deepStrictEqual(await received, bodies(1000));
    },
    'no more is sent than credit was given': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('queue');
        await sendAll(await peer.sender(address), bodies(20).map((body) => ({ body })));
        const inbox = await peer.inbox(address);
        inbox.receiver.add_credit(3);
        for (let i = 0; i < 3; i++) await inbox.take();
        await inbox.expectNone(200);
        inbox.receiver.add_credit(2);
        for (let i = 0; i < 2; i++) await inbox.take();
        await inbox.expectNone(200);
    },
    'draining an empty queue ends at once with no credit left': async (broker) => {
        const peer = await broker.open();
        const inbox = await peer.inbox(broker.name('queue'));
        let best = Infinity; // of some rounds: others use this machine, too
        for (let round = 0; round < 5; round++) {
            inbox.receiver.add_credit(10);
            const started = Date.now();
            await inbox.drain();
            best = Math.min(best, Date.now() - started);
            assert.strictEqual(inbox.receiver.credit, 0);
        }
        assert.ok(best < 1000, `${best} ms`);
    },
    'draining sends what is there, then no more': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('queue');
        const sender = await peer.sender(address);
        await sendAll(sender, bodies(5).map((body) => ({ body, durable: true })));
        const inbox = await peer.inbox(address);
        inbox.receiver.add_credit(10);
        await inbox.drain();
        assert.deepStrictEqual(await inbox.accept(5), bodies(5));
        await send(sender, { body: 'late' });
        await inbox.expectNone(200);
        inbox.receiver.add_credit(1);
        assert.deepStrictEqual(await inbox.accept(1), ['late']);
    },
    'a flow with echo is answered with a flow [wire b8]': async (broker) => {
        const peer = await broker.open();
        const inbox = await peer.inbox(broker.name('queue'));
        inbox.receiver.add_credit(1);
        await quiet(50);
        const answered = event(inbox.receiver, 'receiver_flow');
        const { session } = inbox.receiver;
        const frames = require('rhea/lib/frames.js');
        session.output(frames.flow({
            next_incoming_id: session.incoming.next_transfer_id,
            incoming_window: 2048,
            next_outgoing_id: session.outgoing.next_transfer_id,
            outgoing_window: 2048,
            handle: inbox.receiver.local.handle,
            delivery_count: inbox.receiver.delivery_count,
            link_credit: 1,
            echo: true,
        }));
        peer.connection._register();
        await answered;
    },
    'two consumers share a queue, each message goes to one of them': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('queue');
        const inboxes = [await peer.inbox(address, { credit_window: 10 }), await peer.inbox(address, { credit_window: 10 })];
        const seen = [];
        const counts = [0, 0];
        inboxes.forEach((inbox, i) => inbox.receiver.on('message', (context) => {
            counts[i]++;
            seen.push(context.message.body);
            context.delivery.accept();
        }));
        await sendAll(await peer.sender(address), bodies(200).map((body) => ({ body, durable: true })));
        for (let i = 0; i < 2000 && seen.length < 200; i++) await quiet(20);
        assert.deepStrictEqual(seen.slice().sort((a, b) => a - b), bodies(200));
        assert.ok(counts[0] > 0 && counts[1] > 0, `shares: ${counts}`);
    },
    'a consumer without credit does not hold messages back from others': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('queue');
        await peer.inbox(address);
        const busy = await peer.inbox(address, { credit_window: 10 });
        await sendAll(await peer.sender(address), bodies(50).map((body) => ({ body })));
        assert.deepStrictEqual(await busy.accept(50), bodies(50));
    },
};
