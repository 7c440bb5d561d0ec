'use strict';
// node mqtt.js HOST PORT: MQTT.js against a broker; prints one JSON line a case, then {"done": count}.
const assert = require('assert');
const crypto = require('crypto');
const mqtt = require('mqtt');

const CASE_MS = 120000;
const MESSAGES = 50;
const [host, port] = process.argv.slice(2);
const unique = (kind) => `mqttjs-${kind}-${crypto.randomUUID()}`;

function connect(protocolVersion, options = {}) {
    const protocolId = protocolVersion === 3 ? 'MQIsdp' : 'MQTT';
    return mqtt.connectAsync(
        Object.assign({ host, port: Number(port), protocolVersion, protocolId, reconnectPeriod: 0 }, options));
}

async function exchange(protocolVersion, qos, protocol = 'mqtt') {
    const topic = unique('t');
    const client = await connect(protocolVersion, { protocol, clientId: unique('c').slice(0, 20) });
    const received = [];
    const all = new Promise((resolve) => client.on('message', (on, payload) => {
        assert.strictEqual(on, topic);
        received.push(payload.toString());
        if (received.length === MESSAGES) resolve();
    }));
    await client.subscribeAsync(topic, { qos });
    const expected = [];
    for (let i = 0; i < MESSAGES; i++) {
        expected.push(`m${i}`);
        await client.publishAsync(topic, `m${i}`, { qos });
    }
    await all;
    assert.deepStrictEqual(received, expected);
    await client.endAsync();
}

const cases = {};
for (const version of [3, 4, 5]) {
    for (const qos of [0, 1, 2]) cases[`MQTT.js version ${version} QoS ${qos}`] = () => exchange(version, qos);
}
for (const version of [4, 5]) {
    cases[`MQTT.js version ${version} over WebSocket`] = () => exchange(version, 2, 'ws');
}

cases['MQTT.js request and response with properties'] = async () => {
    const topic = unique('rpc');
    const server = await connect(5);
    const client = await connect(5);
    await server.subscribeAsync(`${topic}/ask`, { qos: 1 });
    await client.subscribeAsync(`${topic}/answer`, { qos: 1 });
    server.on('message', (on, payload, packet) => server.publish(packet.properties.responseTopic, payload, {
        qos: 1, properties: { correlationData: packet.properties.correlationData, userProperties: { k: ['1', '2'] } },
    }));
    const answer = new Promise((resolve) => client.on('message', (on, payload, packet) => resolve(packet)));
    await client.publishAsync(`${topic}/ask`, 'ping', {
        qos: 1, properties: { responseTopic: `${topic}/answer`, correlationData: Buffer.from([0, 255]) },
    });
    const packet = await answer;
    assert.strictEqual(packet.payload.toString(), 'ping');
    assert.deepStrictEqual([...packet.properties.correlationData], [0, 255]);
    assert.deepStrictEqual(packet.properties.userProperties.k, ['1', '2']);
    await server.endAsync();
    await client.endAsync();
};

cases['MQTT.js finds its session again'] = async () => {
    const topic = unique('kept');
    const options = { clientId: unique('c'), clean: false, properties: { sessionExpiryInterval: 60 } };
    const first = await connect(5, options);
    await first.subscribeAsync(topic, { qos: 1 });
    await first.endAsync();
    const other = await connect(5);
    await other.publishAsync(topic, 'meanwhile', { qos: 1 });
    await other.endAsync();
    const second = mqtt.connect(Object.assign({ host, port: Number(port), protocolVersion: 5 }, options));
    const payload = await new Promise((resolve) => second.on('message', (on, got) => resolve(got.toString())));
    assert.strictEqual(payload, 'meanwhile');
    await second.endAsync();
};

async function bounded(promise) {
    let timer;
    const timeout = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`case took more than ${CASE_MS} ms`)), CASE_MS);
    });
    try {
        await Promise.race([promise, timeout]);
    } finally {
        clearTimeout(timer);
    }
}

async function main() {
    for (const [name, body] of Object.entries(cases)) {
        const result = { case: name, ok: true };
        try {
            await bounded(body());
        } catch (error) {
            result.ok = false;
            result.error = String(error.stack || error);
        }
        process.stdout.write(`${JSON.stringify(result)}\n`);
    }
    process.stdout.write(`${JSON.stringify({ done: Object.keys(cases).length })}\n`, () => process.exit(0));
}

main();
