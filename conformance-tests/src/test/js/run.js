'use strict';
// node run.js HOST PORT [FILTER]: runs the cases against a broker, prints one JSON line each, then {"done": count}.
const fs = require('fs');
const path = require('path');

const CASE_MS = 120000;
const [host, port, filter] = process.argv.slice(2);

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

async function runCase(name, body) {
    const { Peer, rhea } = require('./peer.js');
    const peers = [];
    const broker = {
        host,
        port: Number(port),
        name: (kind) => `rhea.${kind}.${rhea.generate_uuid()}`,
        open: async (options = {}) => {
            const peer = await Peer.open(Object.assign({ host, port: Number(port), username: 'anonymous' }, options));
            peers.push(peer);
            return peer;
        },
    };
    const started = Date.now();
    const result = { case: name, ok: true };
    try {
        await bounded(body(broker));
    } catch (error) {
        result.ok = false;
        result.error = String(error.stack || error);
    }
    for (const peer of peers) await peer.close().catch(() => peer.cut());
    result.ms = Date.now() - started;
    process.stdout.write(`${JSON.stringify(result)}\n`);
}

async function main() {
    let count = 0;
    const files = fs.readdirSync(path.join(__dirname, 'cases')).filter((file) => file.endsWith('.js')).sort();
    for (const file of files) {
        const cases = require(path.join(__dirname, 'cases', file));
        for (const [name, body] of Object.entries(cases)) {
            if (filter && !name.includes(filter)) continue;
            await runCase(name, body);
            count++;
        }
    }
    process.stdout.write(`${JSON.stringify({ done: count })}\n`, () => process.exit(0));
}

process.on('uncaughtException', (error) => {
    process.stderr.write(`uncaught: ${error.stack || error}\n`);
});
main();
