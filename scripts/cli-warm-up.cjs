/**
 * Runs some commands of the built CLI and stores the V8 code caches of its files, so that later runs skip compilation.
 * Started by bundle-cli.mjs in a process without V8 flags.
 */
const { createServer } = require('node:http');
const path = require('node:path');
const { Writable } = require('node:stream');
const v8 = require('node:v8');
const { evaluated, scriptOf } = require('./cli-part.cjs');
const { keepCode } = require('./keep-code.cjs');

const [folder = '', ...compiled] = process.argv.slice(2);
const files = compiled.map((name) => `${folder}/${name}.cjs`);

/** Typical commands: help, a list, one entity, a change. */
const commands = [
  ['--help'],
  ['groups', '--help'],
  ['groups', 'list', '--help'],
  ['groups', 'list'],
  ['groups', 'list', '-o', 'json'],
  ['groups', 'get', 'ops'],
  ['groups', 'add-role', 'ops', 'VIEW'],
];

// V8 flags would invalidate the caches for processes without them.
v8.setFlagsFromString = () => undefined;

const scripts = new Map();

function load(file) {
  if (!files.includes(file)) return require(file.startsWith('./') ? path.join(folder, file) : file);
  const script = scriptOf(file);
  scripts.set(file, script);
  return evaluated(script, folder, load);
}

const discard = () => new Writable({ write: (_chunk, _encoding, done) => done() });

async function warmUp(url) {
  const { run } = load(`${folder}/run.cjs`);
  const io = {
    stdin: process.stdin,
    stdout: discard(),
    stderr: discard(),
    signal: new AbortController().signal,
    releaseSignals: () => undefined,
  };
  const variables = { IAM_BASE_URL: url, IAM_TOKEN: 'none', HOME: path.join(folder, 'no-home') };
  for (const args of commands) await run(args, io, { variables, now: Date.now, random: Math.random });
}

const group = { groupId: '1', groupName: 'ops', roles: ['VIEW'], dependencies: [] };
const server = createServer(({ url }, response) => {
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(/\/groups(\?|$)/.test(url) ? [group, group] : group));
});

server.listen(0, '127.0.0.1', async () => {
  await warmUp(`http://127.0.0.1:${server.address().port}`);
  keepCode(scripts);
  server.close();
});
