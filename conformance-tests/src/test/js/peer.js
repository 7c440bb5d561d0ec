'use strict';
// rhea speaks in events; the cases read better with promises that end. Every wait here is bounded.
const rhea = require('rhea');

const WAIT_MS = 60000;

/** Resolves with the context of the first of `names` that `emitter` reports; fails after `waitMs`. */
function event(emitter, names, waitMs = WAIT_MS) {
    const wanted = [].concat(names);
    return new Promise((resolve, reject) => {
        const handlers = new Map();
        const stop = () => {
            clearTimeout(timer);
            handlers.forEach((handler, name) => emitter.removeListener(name, handler));
        };
        const timer = setTimeout(() => {
            stop();
            reject(new Error(`no ${wanted.join(' or ')} within ${waitMs} ms`));
        }, waitMs);
        wanted.forEach((name) => {
            const handler = (context) => {
                stop();
                resolve(Object.assign({ event: name }, context));
            };
            handlers.set(name, handler);
            emitter.on(name, handler);
        });
    });
}

/** Lets `millis` pass: only for "nothing happens", never to wait for something. */
function quiet(millis) {
    return new Promise((resolve) => setTimeout(resolve, millis));
}

/** A receiver whose messages are taken one by one; nothing is settled unless the case does it. */
class Inbox {
    constructor(receiver) {
        this.receiver = receiver;
        this.arrived = [];
        this.takers = [];
        receiver.on('message', (context) => {
            const taker = this.takers.shift();
            if (taker) taker(context);
            else this.arrived.push(context);
        });
    }

    /** The next message's context ({message, delivery}). */
    take(waitMs = WAIT_MS) {
        if (this.arrived.length) return Promise.resolve(this.arrived.shift());
        return new Promise((resolve, reject) => {
            const taker = (context) => {
                clearTimeout(timer);
                resolve(context);
            };
            const timer = setTimeout(() => {
                this.takers.splice(this.takers.indexOf(taker), 1);
                reject(new Error(`no message on ${this.receiver.name} within ${waitMs} ms`));
            }, waitMs);
            this.takers.push(taker);
        });
    }

    /** Takes and accepts `count` messages; gives their bodies. */
    async accept(count) {
        const bodies = [];
        for (let i = 0; i < count; i++) {
            const context = await this.take();
            context.delivery.accept();
            bodies.push(context.message.body);
        }
        return bodies;
    }

    /** Fails if a message is there or comes within `millis`. */
    async expectNone(millis = 300) {
        await quiet(millis);
        if (this.arrived.length) throw new Error(`unexpected message: ${JSON.stringify(this.arrived[0].message.body)}`);
    }

    /** Asks for what is there at once; resolves when the broker says that it is all. */
    async drain() {
        const drained = event(this.receiver, 'receiver_drained');
        this.receiver.drain_credit();
        await drained;
        this.receiver.drain = false;
    }
}

/** One client connection. */
class Peer {
    constructor(connection) {
        this.connection = connection;
    }

    static async open(options) {
        const container = rhea.create_container({ id: options.container_id || rhea.generate_uuid() });
        // A detach with an error is an answer here, not a crash of the client.
        container.on('error', () => {});
        container.on('disconnected', () => {});
        const connection = container.connect(Object.assign({ reconnect: false }, options));
        const context = await event(connection, ['connection_open', 'connection_error', 'connection_close', 'disconnected']);
        if (context.event !== 'connection_open') throw new Error(`connection: ${context.event} ${context.error || ''}`);
        return new Peer(connection);
    }

    /** Opens a sender and waits for credit, or fails with the broker's condition. */
    async sender(target, options = {}, session = this.connection) {
        const sender = session.open_sender(Object.assign(
            { target: termini(target), treat_modified_as_released: false }, options));
        await attached(sender, 'sender');
        if (!sender.sendable()) await event(sender, 'sendable');
        return sender;
    }

    /** Opens a receiver that settles nothing by itself, with `credit_window` 0 unless given. */
    async inbox(source, options = {}, session = this.connection) {
        const receiver = session.open_receiver(Object.assign(
            { source: termini(source), autoaccept: false, credit_window: 0 }, options));
        const inbox = new Inbox(receiver);
        await attached(receiver, 'receiver');
        return inbox;
    }

    /** The error of an attach that the broker must refuse. */
    async refusal(kind, options, session = this.connection) {
        const link = kind === 'sender'
            ? session.open_sender(options)
            : session.open_receiver(Object.assign({ autoaccept: false, credit_window: 0 }, options));
        const context = await event(link, [`${kind}_error`, `${kind}_close`, 'sendable', 'message', 'connection_error', 'disconnected'], 3000);
        if (!link.error) throw new Error(`expected a refusal, got ${context.event}`);
        return link.error;
    }

    async session() {
        const session = this.connection.create_session();
        session.open();
        await event(session, 'session_open');
        return session;
    }

    /** Resolves when the broker has read everything sent before. */
    async roundTrip() {
        const session = await this.session();
        const ended = event(session, 'session_close');
        session.close();
        await ended;
    }

    async close() {
        if (this.connection.is_closed() || this.lost) return;
        const closed = event(this.connection, ['connection_close', 'disconnected']);
        this.connection.close();
        await closed;
    }

    /** Cuts the TCP connection without a close frame. */
    cut() {
        this.lost = true;
        this.connection.socket.destroy();
    }
}

function termini(address) {
    return typeof address === 'string' ? { address } : address;
}

async function attached(link, kind) {
    if (!link.is_remote_open()) await event(link, [`${kind}_open`, `${kind}_error`, `${kind}_close`]);
    // A refusal is an attach followed by a detach: an attach without terminus is only its first half.
    const terminus = kind === 'sender' ? link.target : link.source;
    if (link.error || !terminus) {
        if (!link.error) await event(link, [`${kind}_error`, `${kind}_close`]);
        throw Object.assign(new Error(`${link.error.condition}: ${link.error.description}`), { condition: link.error.condition });
    }
}

/** Sends and resolves with the outcome's name and delivery. */
function send(sender, message) {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('no outcome within a minute')), WAIT_MS);
        const delivery = sender.send(message);
        const listeners = ['accepted', 'rejected', 'released', 'modified'].map((outcome) => {
            const listener = (context) => {
                if (context.delivery !== delivery) return;
                clearTimeout(timer);
                listeners.forEach(([name, l]) => sender.removeListener(name, l));
                resolve({ outcome, delivery, error: context.delivery.remote_state && context.delivery.remote_state.error });
            };
            sender.setMaxListeners(0);
            sender.on(outcome, listener);
            return [outcome, listener];
        });
    });
}

/** Sends bodies in order, with no more in flight than the broker grants; resolves when all are accepted. */
async function sendAll(sender, messages) {
    let next = 0;
    let accepted = 0;
    await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${accepted} of ${messages.length} accepted within a minute`)), WAIT_MS);
        const pump = () => {
            while (next < messages.length && sender.sendable()) sender.send(messages[next++]);
        };
        const done = () => {
            clearTimeout(timer);
            sender.removeListener('sendable', pump);
            sender.removeListener('accepted', count);
        };
        const count = () => {
            if (++accepted === messages.length) {
                done();
                resolve();
            }
        };
        sender.on('accepted', count);
        sender.on('sendable', pump);
        sender.once('rejected', () => { done(); reject(new Error('rejected')); });
        sender.once('released', () => { done(); reject(new Error('released')); });
        pump();
    });
}

module.exports = { rhea, Peer, Inbox, event, quiet, send, sendAll };
