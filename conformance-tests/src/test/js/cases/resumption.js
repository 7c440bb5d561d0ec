'use strict';
const assert = require('assert');
const { event, send } = require('../peer.js');

module.exports = {
    'a receiver that comes back without unsettled map gets what was unsettled again [J-3]': async (broker) => {
        const id = broker.name('container');
        const address = broker.name('queue');
        const first = await broker.open({ container_id: id });
        const sender = await first.sender(address);
        await send(sender, { body: 'once more', durable: true });
        const inbox = await first.inbox({ address, expiry_policy: 'never' }, { name: 'kept', credit_window: 10 });
        assert.strictEqual((await inbox.take()).message.body, 'once more');
        first.cut();

        const second = await broker.open({ container_id: id });
        const again = await second.inbox({ address, expiry_policy: 'never' }, { name: 'kept', credit_window: 10 });

        assert.deepStrictEqual(await again.accept(1), ['once more']);
    },
    'a durable subscription collects while its connection is lost [S-2]': async (broker) => {
        const id = broker.name('container');
        const source = { address: broker.name('topic'), capabilities: ['topic'], durable: 2, expiry_policy: 'never' };
        const first = await broker.open({ container_id: id });
        await first.inbox(source, { name: 'news', credit_window: 10 });
        first.cut();
        const publisher = await broker.open();
        const sender = await publisher.sender({ address: source.address, capabilities: ['topic'] });
        await send(sender, { body: 'meanwhile', durable: true });

        const second = await broker.open({ container_id: id });
        const again = await second.inbox(source, { name: 'news', credit_window: 10 });

        assert.deepStrictEqual(await again.accept(1), ['meanwhile']);
        again.receiver.close();
        await event(again.receiver, 'receiver_close');
    },
    'a link name that is attached again within its session goes on with its subscription [3.5.4]': async (broker) => {
        const peer = await broker.open();
        const source = { address: broker.name('topic'), capabilities: ['topic'] };
        const inbox = await peer.inbox(source, { name: 'news', credit_window: 10 });
        inbox.receiver.detach();
        await event(inbox.receiver, 'receiver_close');
        const sender = await peer.sender(source);
        await send(sender, { body: 'meanwhile' });

        const again = await peer.inbox(source, { name: 'news', credit_window: 10 });

        assert.deepStrictEqual(await again.accept(1), ['meanwhile']);
    },
};
