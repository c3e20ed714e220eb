#!/usr/bin/env node
/**
 * Starts PostgreSQL, three servers that share it, and a balancer in front of them:
 *
 *   node examples/replicas/start.mjs [folder]
 *
 * With IAM_DATABASE_URL it uses that database; otherwise it starts one of this machine in the folder
 * (default data/replicas), which needs the programs of PostgreSQL, and a user other than root. The balancer listens on
 * PORT (default 8080), that database on the port after it. The first start prints the administrator's credentials.
 * The audit log of all servers goes to standard error.
 * To try: end one of the servers with `kill`, and go on. Ctrl-C stops everything that it started.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer, request } from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const iam = fileURLToPath(new URL('../../bin/iam.js', import.meta.url));
const folder = path.resolve(process.argv[2] ?? 'data/replicas');
const port = Number(process.env.PORT ?? 8080);
const replicaCount = 3;
/** Bytes: a token of the service has up to 32 KiB (its setting max-token). Node accepts 16 KiB of headers by default. */
const maxHeaderSize = 40 * 1024;
/** What to end, in reverse order. */
const stops = [];
/** The URLs of the servers that run. */
const targets = [];

/** The folder with initdb and pg_ctl. */
function findPrograms() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env.PATH ?? '').split(path.delimiter),
    ...versions.map((name) => `${debian}/${name}/bin`),
  ];
  const found = folders.find((one) => existsSync(path.join(one, 'initdb')));
  if (found === undefined) throw new Error('Install PostgreSQL, or set IAM_DATABASE_URL to a database.');
  return found;
}

/** Starts a database that only this machine can reach. Returns its address. */
async function startDatabase() {
  const programs = findPrograms();
  const data = path.join(folder, 'database');
  const databasePort = port + 1;
  mkdirSync(folder, { recursive: true });
  if (!existsSync(data))
    await run(path.join(programs, 'initdb'), ['-D', data, '-U', 'iam', '-A', 'trust', '-E', 'UTF8', '--locale', 'C']);
  const options = `-p ${databasePort} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''`;
  const control = (...words) => run(path.join(programs, 'pg_ctl'), ['-D', data, '-w', ...words]);
  await control('-o', options, '-l', path.join(folder, 'database.log'), 'start');
  stops.push(async () => {
    // It may have ended by itself.
    const isRunning = await control('status').then(
      () => true,
      () => false,
    );
    if (isRunning) await control('-m', 'fast', 'stop');
  });
  return `postgres://iam@127.0.0.1:${databasePort}/postgres`;
}

/** Starts one server on a free port, and adds it to the targets when it is ready. */
function startReplica(environment, baseUrl) {
  const options = ['--trusted-proxies', '127.0.0.1', '--port', '0', '--stop-with-parent', '--json'];
  const words = ['serve', '--store', 'postgres', '--base-url', baseUrl, ...options];
  // Detached: Ctrl-C is a signal to all processes of the terminal, and the second signal would end a server at once.
  const child = spawn(process.execPath, [iam, ...words], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  let isStopping = false;
  stops.push(async () => {
    isStopping = true;
    child.kill('SIGTERM');
    await ended;
  });
  return new Promise((resolve, reject) => {
    ended.then((code) => reject(new Error(`A server ended with exit code ${code}.`)));
    createInterface({ input: child.stdout }).once('line', (line) => {
      const { listenUrl } = JSON.parse(line);
      targets.push(listenUrl);
      ended.then(() => {
        targets.splice(targets.indexOf(listenUrl), 1);
        if (!isStopping) process.stderr.write(`The server at ${listenUrl} has ended.\n`);
      });
      resolve();
    });
  });
}

/** The headers of a request as a server gets them: the source is the caller of the balancer. */
function forwardHeaders({ headers, socket }) {
  const { forwarded: _, ...others } = headers;
  return { ...others, 'x-forwarded-for': socket.remoteAddress };
}

/** Sends each request to the next server that runs. Requests to a server that ends meanwhile get 502. */
function startBalancer() {
  let requests = 0;
  const server = createServer({ maxHeaderSize }, (incoming, outgoing) => {
    const { method, url } = incoming;
    requests += 1;
    // The caller is gone already.
    if (incoming.socket.remoteAddress === undefined) {
      incoming.destroy();
      return;
    }
    if (targets.length === 0) {
      outgoing.writeHead(503).end();
      return;
    }
    const target = new URL(targets[requests % targets.length]);
    const options = { host: target.hostname, port: target.port, method, path: url, headers: forwardHeaders(incoming) };
    const forwarded = request(options, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => {
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end();
    });
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', resolve);
    stops.push(async () => server.close());
  });
}

function report(error) {
  process.stderr.write(`error: ${error.stderr || error.message}\n`);
}

async function stopAll() {
  for (const stop of stops.splice(0).reverse()) await stop().catch(report);
}

async function main() {
  const baseUrl = `http://127.0.0.1:${port}`;
  await startBalancer();
  const databaseUrl = process.env.IAM_DATABASE_URL ?? (await startDatabase());
  const environment = { ...process.env, IAM_DATABASE_URL: databaseUrl };
  const { stdout } = await run(process.execPath, [iam, 'store', 'init'], { env: environment });
  process.stdout.write(stdout);
  await Promise.all(Array.from({ length: replicaCount }, () => startReplica(environment, baseUrl)));
  process.stdout.write(`Ready: ${baseUrl}, in front of ${targets.join(', ')}\nPress Ctrl-C to stop.\n`);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stopAll().then(() => process.exit(0)));
main().catch(async (error) => {
  report(error);
  await stopAll();
  process.exit(1);
});
