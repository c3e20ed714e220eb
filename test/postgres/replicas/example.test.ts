/** `examples/replicas/start.mjs` starts three servers behind a balancer, which the command line uses as one service. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Home } from '../../cli/run-cli.ts';

const script = path.resolve('examples/replicas/start.mjs');
const admin = { IAM_ADMIN_CLIENT_ID: 'example-admin', IAM_ADMIN_CLIENT_SECRET: 'secret-of-the-example' };
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
    IAM_DATABASE_URL: inject('databaseUrl'),
    IAM_SERVE_DATABASE_SCHEMA: `example_${process.pid}`,
    IAM_FAST_PASSWORDS: 'true',
  };
  const child = spawn(process.execPath, [script], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('Ready: ')) return child;
  throw new Error('The example ended before it was ready.');
}

test('starts servers that behave as one, and ends', async () => {
  const port = await findFreePort();
  example = await startExample(port);
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
    replicas.add((await fetch(`${variables.IAM_BASE_URL}/_iam/settings`)).headers.get('x-iam-replica'));
  expect(replicas.size).toBe(3);
  example.kill('SIGTERM');
  expect(await once(example, 'exit')).toEqual([0, null]);
});
