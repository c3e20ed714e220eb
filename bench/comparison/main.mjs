/**
 * `npm run bench:compare`: requests a second of this service, of others and of a bare HTTP server, in alternating rounds with
 * autocannon. Installs the others into this folder first. Needs Linux with two cores and `taskset`.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { folder, onLoadCore, Service } from './services.mjs';

const run = promisify(execFile);
const rounds = 5;
const seconds = 3;
const connections = 32;
const groups = 1_000;
const secret = 'a-secret-for-benchmarks-only';

const prefix = '/security/iam/v1';
const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const basic = { authorization: `Basic ${Buffer.from(`bench:${secret}`).toString('base64')}` };
const grant = { method: 'POST', headers: { ...form, ...basic }, body: 'grant_type=client_credentials' };
const group = (groupName) => JSON.stringify({ groupName, roles: ['DEPLOY', 'ROLLBACK'] });
/** autocannon replaces the placeholder in each request. */
const newGroup = group('load-[<id>]');

/** Each kind of request, by service. `others` runs after the measured one and is not compared to it. */
const kinds = [
  {
    name: 'client login',
    iam: () => ({ path: `${prefix}/client-identities/login`, method: 'POST', headers: basic }),
    others: {},
  },
  {
    name: 'token endpoint',
    iam: () => ({ path: `${prefix}/client-identities/connect/token`, ...grant }),
    others: { 'oidc-provider': { path: '/token', ...grant }, 'oauth2-mock-server': { path: '/token', ...grant } },
  },
  {
    name: 'read a group',
    iam: ({ token, groupId }) => ({ path: `${prefix}/groups/${groupId}`, method: 'GET', headers: token }),
    others: { 'json-server': { path: '/groups/1', method: 'GET', headers: {} } },
  },
  {
    name: 'list of 100',
    iam: ({ token }) => ({ path: `${prefix}/groups?limit=100`, method: 'GET', headers: token }),
    others: { 'json-server': { path: '/groups?_page=1&_limit=100', method: 'GET', headers: {} } },
  },
  {
    name: 'create a group',
    iam: ({ token }) => ({ path: `${prefix}/groups`, method: 'POST', headers: { ...token, ...json }, body: newGroup }),
    others: { 'json-server': { path: '/groups', method: 'POST', headers: json, body: newGroup } },
  },
];

/** One round. @returns requests a second, and microseconds of processor time for each */
async function load(service, { path: target, method, headers, body }) {
  const options = ['-j', '-c', String(connections), '-d', String(seconds), '-m', method];
  for (const [name, value] of Object.entries(headers)) options.push('-H', `${name}=${value}`);
  if (body !== undefined) options.push('-b', body, ...(body.includes('[<id>]') ? ['-I'] : []));
  const [command, args] = onLoadCore(['node_modules/autocannon/autocannon.js', ...options, service.url + target]);
  const before = service.cpuMs;
  const { stdout } = await run(command, args, { cwd: folder, maxBuffer: 1 << 24 });
  const { '2xx': succeeded, non2xx, errors, duration } = JSON.parse(stdout);
  if (non2xx > 0 || errors > 0 || succeeded === 0)
    throw new Error(`${service.name} ${target}: ${succeeded} succeeded, ${non2xx} rejected, ${errors} failed`);
  return { perSecond: succeeded / duration, cpu: ((service.cpuMs - before) * 1000) / succeeded };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Loads the services in turn. @returns the results of each, without those of the first round, which warms up */
async function runRounds(contenders) {
  const results = contenders.map(() => []);
  for (let round = -1; round < rounds; round += 1)
    for (const [at, [service, parts]] of contenders.entries()) {
      const result = await load(service, parts);
      if (round >= 0) results[at].push(result);
    }
  return results;
}

/** Measures a kind for all its services in turn. @returns the rows of the table */
async function measure(kind, services, access) {
  const request = kind.iam(access);
  const floor = await Service.floor(await sample(services.get('iam'), request));
  const contenders = [
    [floor, request],
    [services.get('iam'), request],
    ...Object.entries(kind.others).map(([name, other]) => [services.get(name), other]),
  ];
  const results = await runRounds(contenders).finally(() => floor.stop());
  const rates = results.map((list) => median(list.map(({ perSecond }) => perSecond)));
  const cpus = results.map((list) => median(list.map(({ cpu }) => cpu)));
  return contenders.map(([service], at) => ({
    kind: kind.name,
    service: service.name,
    perSecond: Math.round(rates[at]),
    ratio: (rates[at] / rates[0]).toFixed(3),
    cpu: Math.round(cpus[at]),
    ratioByCpu: (cpus[0] / cpus[at]).toFixed(3),
  }));
}

/** The response that the floor returns. */
async function sample({ url }, { path: target, method, headers, body }) {
  const response = await fetch(url + target, { method, headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`iam ${target}: ${response.status} ${text}`);
  const kept = [...response.headers].filter(([name]) => !['connection', 'date', 'keep-alive'].includes(name));
  return { status: response.status, headers: Object.fromEntries(kept), body: text };
}

/** Fills the store. @returns the token of the client and the id of a group */
async function prepare({ url }) {
  const login = await fetch(`${url}${prefix}/client-identities/login`, { method: 'POST', headers: basic });
  const token = { authorization: `Bearer ${(await login.json()).accessToken}` };
  const create = (name) =>
    fetch(`${url}${prefix}/groups`, { method: 'POST', headers: { ...token, ...json }, body: group(name) });
  const names = Array.from({ length: groups }, (_, at) => `group-${at}`);
  const created = await Promise.all(names.map(async (name) => (await create(name)).json()));
  return { token, groupId: created[0].groupId };
}

function writeJsonServerFile(file) {
  const rows = Array.from({ length: groups }, (_, at) => ({ id: at + 1, ...JSON.parse(group(`group-${at}`)) }));
  writeFileSync(file, JSON.stringify({ groups: rows }));
}

function format(rows) {
  const lines = rows.map(
    (row) => `| ${row.kind} | ${row.service} | ${row.perSecond} | ${row.ratio} | ${row.cpu} µs | ${row.ratioByCpu} |`,
  );
  return ['| | | requests/s | of the bare server | CPU | by CPU |', '|---|---|---|---|---|---|', ...lines].join('\n');
}

if (!existsSync(path.join(folder, 'node_modules')))
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 2, 2] });
execFileSync('taskset', ['-apc', '0', String(process.pid)], { stdio: 'ignore' });
// Within the project, so that the stores are on a disk rather than in memory.
const work = mkdtempSync(path.join(folder, 'node_modules/.work-'));
const services = new Map();
try {
  const data = path.join(work, 'db.json');
  writeJsonServerFile(data);
  for (const start of [
    () => Service.iam(path.join(work, 'store'), secret),
    () => Service.other('oidc-provider'),
    () => Service.other('oauth2-mock-server'),
    () => Service.other('json-server', data),
  ]) {
    const service = await start();
    services.set(service.name, service);
  }
  const access = await prepare(services.get('iam'));
  const selected = kinds.filter(({ name }) => process.argv.length < 3 || process.argv.slice(2).includes(name));
  const rows = [];
  for (const kind of selected) {
    process.stderr.write(`measuring ${kind.name}\n`);
    rows.push(...(await measure(kind, services, access)));
  }
  process.stdout.write(`${format(rows)}\n\nNode ${process.version}, ${connections} connections\n`);
} finally {
  await Promise.all([...services.values()].map((service) => service.stop()));
  rmSync(work, { recursive: true, force: true });
}
