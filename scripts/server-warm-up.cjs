/**
 * Starts the built server twice, on a new store and on the same again, has it answer some calls, and keeps the code that
 * V8 made of its files beside them: what ran here does not have to be compiled by the next start. Started by
 * bundle-server.mjs, as a process with no flags of V8.
 */
const { mkdtempSync, rmSync } = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { Writable } = require('node:stream');
const { folderLoader } = require('./cli-part.cjs');
const { keepCode } = require('./keep-code.cjs');

const [parts = ''] = process.argv.slice(2);
const scripts = new Map();
const { serve } = folderLoader(parts, require, (file, script) => scripts.set(file, script))('./main.cjs');

/** Serves until the work is done, with what the line of readiness says. */
async function serving(data, work) {
  let ready;
  const isReady = new Promise((resolve) => {
    ready = resolve;
  });
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      ready(JSON.parse(chunk));
      done();
    },
  });
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  const ended = serve({ flags: { data, port: '0', json: true }, environment: {}, io: { stdout, stderr } });
  await Promise.race([isReady.then(work), ended]);
  process.emit('SIGTERM', 'SIGTERM');
  if ((await ended) !== 0) throw new Error('the built server does not start');
}

/** @returns the body of the answer. */
function call(url, options) {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { agent: false, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(JSON.parse(text)));
    });
    request.on('error', reject);
    request.end(options.body);
  });
}

/** Logging in, a page, one entity: what most first calls are like. */
async function usualCalls({ url, prefix, adminClientId, adminClientSecret }) {
  const base = `${url}${prefix}`;
  const basic = Buffer.from(`${adminClientId}:${adminClientSecret}`).toString('base64');
  const { accessToken } = await call(`${base}/client-identities/login`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
  });
  const headers = { authorization: `Bearer ${accessToken}` };
  const [group] = await call(`${base}/groups`, { headers });
  await call(`${base}/groups/${group.groupId}`, { headers });
}

async function main() {
  const data = mkdtempSync(path.join(os.tmpdir(), 'iam-warm-up-'));
  try {
    await serving(data, usualCalls);
    await serving(data, () => undefined);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
  keepCode(scripts);
}

main();
