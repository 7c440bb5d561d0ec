'use strict';
const assert = require('assert');
const { rhea, event, send, sendAll } = require('../peer.js');

async function queueOf(broker, messages) {
    const peer = await broker.open();
    const address = broker.name('queue');
    await sendAll(await peer.sender(address), messages.map((body) => ({ body, durable: true })));
    return { peer, address };
}

module.exports = {
    'accepted removes the message': async (broker) => {
        const { peer, address } = await queueOf(broker, ['one']);
        const inbox = await peer.inbox(address);
        inbox.receiver.add_credit(1);
        await inbox.accept(1);
        inbox.receiver.add_credit(1);
        await inbox.drain();
        await inbox.expectNone(0);
    },
    'released comes again with the same delivery count, not to a first acquirer': async (broker) => {
        const { peer, address } = await queueOf(broker, ['one']);
        const inbox = await peer.inbox(address);
        inbox.receiver.add_credit(1);
        const first = await inbox.take();
        assert.strictEqual(first.message.delivery_count || 0, 0);
        assert.notStrictEqual(first.message.first_acquirer, false);
        first.delivery.release();
        inbox.receiver.add_credit(1);
        const second = await inbox.take();
        assert.strictEqual(second.message.delivery_count || 0, 0);
        assert.ok(!second.message.first_acquirer);
        second.delivery.accept();
    },
    'modified with delivery-failed comes again with a higher delivery count': async (broker) => {
        const { peer, address } = await queueOf(broker, ['one']);
        const inbox = await peer.inbox(address);
        for (let count = 0; count < 3; count++) {
            inbox.receiver.add_credit(1);
            const { message, delivery } = await inbox.take();
            assert.strictEqual(message.delivery_count || 0, count);
            delivery.modified({ delivery_failed: true });
        }
    },
    'modified without delivery-failed comes again with the same delivery count': async (broker) => {
        const { peer, address } = await queueOf(broker, ['one']);
        const inbox = await peer.inbox(address);
        inbox.receiver.add_credit(1);
        (await inbox.take()).delivery.modified({ delivery_failed: false });
        inbox.receiver.add_credit(1);
        assert.strictEqual((await inbox.take()).message.delivery_count || 0, 0);
    },
    'modified with undeliverable-here goes to another link only': async (broker) => {
        const { peer, address } = await queueOf(broker, ['one']);
        const refusing = await peer.inbox(address);
        refusing.receiver.add_credit(10);
        (await refusing.take()).delivery.modified({ delivery_failed: true, undeliverable_here: true });
        await refusing.expectNone(200);
        const other = await peer.inbox(address);
        other.receiver.add_credit(1);
        const { message, delivery } = await other.take();
        assert.strictEqual(message.delivery_count, 1);
        delivery.accept();
    },
    'rejected does not come again': async (broker) => {
        const { peer, address } = await queueOf(broker, ['one', 'two']);
        const inbox = await peer.inbox(address);
        inbox.receiver.add_credit(1);
        (await inbox.take()).delivery.reject({ condition: 'amqp:decode-error', description: 'not for me' });
        inbox.receiver.add_credit(2);
        assert.deepStrictEqual(await inbox.accept(1), ['two']);
        await inbox.drain();
        await inbox.expectNone(0);
    },
    'released messages keep their place before newer ones [T-5]': async (broker) => {
        const { peer, address } = await queueOf(broker, ['1', '2', '3', '4', '5']);
        const inbox = await peer.inbox(address);
        inbox.receiver.add_credit(3);
        const taken = [await inbox.take(), await inbox.take(), await inbox.take()];
        [2, 0, 1].forEach((i) => taken[i].delivery.release());
        await peer.roundTrip();
        inbox.receiver.add_credit(5);
        assert.deepStrictEqual(await inbox.accept(5), ['1', '2', '3', '4', '5']);
    },
    'unsettled deliveries of a closed link come again': async (broker) => {
        const { peer, address } = await queueOf(broker, ['one', 'two']);
        const leaver = await peer.inbox(address);
        leaver.receiver.add_credit(2);
        await leaver.take();
        await leaver.take();
        const closed = event(leaver.receiver, 'receiver_close');
        leaver.receiver.close();
        await closed;
        const stayer = await peer.inbox(address);
        stayer.receiver.add_credit(2);
        assert.deepStrictEqual(await stayer.accept(2), ['one', 'two']);
    },
    'unsettled deliveries of a lost connection come again': async (broker) => {
        const { peer, address } = await queueOf(broker, ['one', 'two']);
        const lost = await broker.open();
        const inbox = await lost.inbox(address);
        inbox.receiver.add_credit(2);
        await inbox.take();
        await inbox.take();
        lost.cut();
        const stayer = await peer.inbox(address);
        stayer.receiver.add_credit(2);
        const first = await stayer.take();
        assert.ok(!first.message.first_acquirer);
        first.delivery.accept();
        assert.deepStrictEqual(await stayer.accept(1), ['two']);
    },
    'default-outcome modified(failed) of the source counts when its connection is lost, not on an orderly close [J-3]': async (broker) => {
        const { peer, address } = await queueOf(broker, ['one']);
        const failed = rhea.message.modified({ delivery_failed: true }).described();
        const leaver = await peer.inbox({ address, default_outcome: failed });
        leaver.receiver.add_credit(1);
        await leaver.take();
        const closed = event(leaver.receiver, 'receiver_close');
        leaver.receiver.close();
        await closed;
        const dying = await broker.open();
        const reader = await dying.inbox({ address, default_outcome: failed });
        reader.receiver.add_credit(1);
        assert.ok(!(await reader.take()).message.delivery_count);
        dying.cut();
        const stayer = await peer.inbox(address);
        stayer.receiver.add_credit(1);
        assert.strictEqual((await stayer.take()).message.delivery_count, 1);
    },
    'a presettled delivery is gone once sent': async (broker) => {
        const { peer, address } = await queueOf(broker, ['one', 'two']);
        const careless = await peer.inbox(address, { snd_settle_mode: 1 });
        careless.receiver.add_credit(1);
        assert.ok((await careless.take()).delivery.remote_settled);
        const closed = event(careless.receiver, 'receiver_close');
        careless.receiver.close();
        await closed;
        const careful = await peer.inbox(address);
        careful.receiver.add_credit(2);
        assert.deepStrictEqual(await careful.accept(1), ['two']);
        await careful.drain();
        await careful.expectNone(0);
    },
    'receiver settle mode second: the broker settles after the receiver': async (broker) => {
        const { peer, address } = await queueOf(broker, ['one']);
        const inbox = await peer.inbox(address, { rcv_settle_mode: 1, autosettle: false });
        assert.strictEqual(inbox.receiver.rcv_settle_mode, 1);
        inbox.receiver.add_credit(1);
        const { delivery } = await inbox.take();
        const settled = event(inbox.receiver, 'settled');
        delivery.update(false, rhea.message.accepted().described());
        await settled;
        delivery.update(true);
    },
    'a presettled message arrives': async (broker) => {
        const peer = await broker.open();
        const address = broker.name('queue');
        const sender = await peer.sender(address, { snd_settle_mode: 1 });
        sender.send({ body: 'no answer wanted' });
        const inbox = await peer.inbox(address);
        inbox.receiver.add_credit(1);
        assert.deepStrictEqual(await inbox.accept(1), ['no answer wanted']);
    },
    'each message of a mixed sender is answered with accepted': async (broker) => {
        const peer = await broker.open();
        const sender = await peer.sender(broker.name('queue'), { snd_settle_mode: 2 });
        for (const durable of [true, false]) {
            assert.strictEqual((await send(sender, { body: 'x', durable })).outcome, 'accepted');
        }
    },
};
