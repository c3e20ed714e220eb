/** `examples/replicas/start.mjs` starts three servers behind a balancer, which the command line uses as one service. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Home } from '../../cli/run-cli.ts';
import { databaseUrl } from '../database.ts';

const script = path.resolve('examples/replicas/start.mjs');
const admin = { IAM_ADMIN_CLIENT_ID: 'example-admin', IAM_ADMIN_CLIENT_SECRET: 'secret-of-the-example' };
/** Claims of a caller on the way that its request took. */
const forged = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' };
let home: Home;
let example: ChildProcess | undefined;

beforeAll(async () => {
  home = await Home.make();
});
afterAll(async () => {
  if (example?.exitCode === null) example.kill('SIGKILL');
  await home[Symbol.asyncDispose]();
});

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the example, and waits for its line. */
async function startExample(port: number): Promise<ChildProcess> {
  const environment = {
    ...admin,
    PATH: process.env.PATH,
    PORT: String(port),
    IAM_DATABASE_URL: databaseUrl,
    IAM_SERVE_DATABASE_SCHEMA: `example_${process.pid}`,
    IAM_SERVE_FAST_PASSWORDS: 'true',
  };
  const child = spawn(process.execPath, [script], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('Ready: ')) return child;
  throw new Error('The example ended before it was ready.');
}

/** Reads the audit lines of all servers until one fits. */
async function findAuditLine(lines: AsyncIterableIterator<string>, requestId: string | null): Promise<unknown> {
  for await (const line of lines) {
    const event = JSON.parse(line);
    if (event.requestId === requestId) return event;
  }
  return undefined;
}

test('starts servers that behave as one, and ends', async () => {
  const port = await findFreePort();
  example = await startExample(port);
  // From now on: lines before the first call of `next` would be lost otherwise.
  const errorLines = createInterface({ input: example.stderr as Readable })[Symbol.asyncIterator]();
  const variables = {
    IAM_BASE_URL: `http://127.0.0.1:${port}`,
    IAM_CLIENT_ID: admin.IAM_ADMIN_CLIENT_ID,
    IAM_CLIENT_SECRET: admin.IAM_ADMIN_CLIENT_SECRET,
  };
  const iam = (...words: string[]) => home.iam(words, { variables });
  for (const name of ['one', 'two', 'three', 'four'])
    expect(await iam('groups', 'create', '--group-name', name, '-o', 'json')).toMatchObject({ code: 0 });
  const { out } = await iam('groups', 'list', '--all', '-o', 'json', '--query', '[].groupName');
  expect(JSON.parse(out)).toEqual(expect.arrayContaining(['one', 'two', 'three', 'four']));
  const replicas = new Set<string | null>();
  for (let at = 0; at < 3; at += 1)
    replicas.add(
      (await fetch(`${variables.IAM_BASE_URL}/_iam/settings`, { headers: forged })).headers.get('x-iam-replica'),
    );
  expect(replicas.size).toBe(3);
  // As long as the service issues tokens: the balancer lets it through, and a server rejects it.
  const longToken = await fetch(`${variables.IAM_BASE_URL}/security/iam/v1/groups`, {
    headers: { authorization: `Bearer ${'a'.repeat(32_768)}` },
  });
  expect(longToken.status).toBe(401);
  const login = await fetch(`${variables.IAM_BASE_URL}/security/iam/v1/client-identities/login`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${admin.IAM_ADMIN_CLIENT_ID}:${admin.IAM_ADMIN_CLIENT_SECRET}`)}`,
      ...forged,
    },
  });
  expect(login.status).toBe(200);
  expect(await findAuditLine(errorLines, login.headers.get('x-request-id'))).toMatchObject({
    remoteAddress: '127.0.0.1',
  });
  example.kill('SIGTERM');
  expect(await once(example, 'exit')).toEqual([0, null]);
});
