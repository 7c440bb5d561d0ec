'use strict';
const assert = require('assert');
const { rhea, event, quiet, send } = require('../peer.js');

module.exports = {
    'open without a SASL layer is answered with a container id': async (broker) => {
        const peer = await broker.open({ username: undefined });
        assert.ok(peer.connection.container_id.length > 0);
    },
    'open with SASL ANONYMOUS offers the anonymous relay': async (broker) => {
        const peer = await broker.open({ username: 'anonymous' });
        assert.ok([].concat(peer.connection.remote.open.offered_capabilities).map(String).includes('ANONYMOUS-RELAY'));
    },
    'a client that asks for heartbeats gets them while the connection idles': async (broker) => {
        const peer = await broker.open({ idle_time_out: 3000 });
        let lost = false;
        peer.connection.on('disconnected', () => { lost = true; });
        await quiet(7000);
        assert.strictEqual(lost, false);
        const sender = await peer.sender(broker.name('queue'));
        assert.strictEqual((await send(sender, { body: 'alive' })).outcome, 'accepted');
    },
    'over WebSocket, subprotocol amqp: messages from small to several frames go both ways': async (broker) => {
        const connect = rhea.websocket_connect(require('ws'));
        const peer = await broker.open({ connection_details: connect(`ws://${broker.host}:${broker.port}`, ['amqp'], {}) });
        const address = broker.name('queue');
        const sender = await peer.sender(address);
        const bodies = ['', 'x', 'y'.repeat(500000)];
        for (const body of bodies) assert.strictEqual((await send(sender, { body, durable: true })).outcome, 'accepted');
        const inbox = await peer.inbox(address, { credit_window: 10 });
        assert.deepStrictEqual(await inbox.accept(3), bodies);
    },
    'the broker tells its own idle timeout': async (broker) => {
        const peer = await broker.open();
        assert.ok(peer.connection.remote.open.idle_time_out > 0);
    },
    'close is answered with close': async (broker) => {
        const peer = await broker.open();
        const closed = event(peer.connection, 'connection_close');
        peer.connection.close();
        await closed;
        assert.strictEqual(peer.connection.error, undefined);
    },
    'twenty sessions with twenty links each work on one connection': async (broker) => {
        const peer = await broker.open();
        const queue = broker.name('queue');
        const work = [];
        for (let s = 0; s < 20; s++) {
            const session = await peer.session();
            for (let l = 0; l < 10; l++) {
                const name = `${queue}.${s}.${l}`;
                work.push((async () => {
                    const sender = await peer.sender(name, {}, session);
                    const inbox = await peer.inbox(name, { credit_window: 10 }, session);
                    assert.strictEqual((await send(sender, { body: name })).outcome, 'accepted');
                    assert.deepStrictEqual(await inbox.accept(1), [name]);
                })());
            }
        }
        await Promise.all(work);
    },
    'ending one session leaves the other alone': async (broker) => {
        const peer = await broker.open();
        const [first, second] = [await peer.session(), await peer.session()];
        const name = broker.name('queue');
        await peer.inbox(name, { credit_window: 10 }, first);
        const sender = await peer.sender(name, {}, second);
        const ended = event(first, 'session_close');
        first.close();
        await ended;
        const inbox = await peer.inbox(name, { credit_window: 10 }, second);
        await send(sender, { body: 'still here' });
        assert.deepStrictEqual(await inbox.accept(1), ['still here']);
    },
    'a second open link of the same name steals it [wire b11]': async (broker) => {
        const peer = await broker.open({ container_id: broker.name('container') });
        const name = broker.name('queue');
        const inbox = await peer.inbox({ address: name }, { name: 'same' });
        const stolen = event(inbox.receiver, 'receiver_error');
        const session = await peer.session();
        await peer.inbox({ address: name }, { name: 'same' }, session);
        await stolen;
        assert.strictEqual(inbox.receiver.error.condition, 'amqp:link:stolen');
    },
};
