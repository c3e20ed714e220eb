/**
 * Starts the built server twice, on a new store and again on the same one, sends some requests, and stores the V8 code
 * caches of its files, so that later starts skip compilation. Started by bundle-server.mjs in a process without V8 flags.
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

/** Runs a server while `work` runs with the content of its ready line. */
async function withServer(data, work) {
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
  if ((await ended) !== 0) throw new Error('the built server failed');
}

/** @returns the JSON of the response. */
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

/** Sends typical first requests: a login, a page, one entity. */
async function sendTypicalRequests({ url, prefix, adminClientId, adminClientSecret }) {
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
    await withServer(data, sendTypicalRequests);
    await withServer(data, () => undefined);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
  keepCode(scripts);
}

main();
