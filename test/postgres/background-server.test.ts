/** `iam server start` with the state in PostgreSQL. Requires dist/. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Sandbox } from '../e2e/cli-process.ts';
import { databaseUrl } from './database.ts';

let sandbox: Sandbox;
const iam = (...words: string[]) =>
  sandbox.iam(words, {
    IAM_DATABASE_URL: databaseUrl,
    IAM_SERVE_DATABASE_SCHEMA: `background_${process.pid}`,
    IAM_SERVE_FAST_PASSWORDS: 'true',
  });

beforeEach(async () => {
  sandbox = await Sandbox.make();
});
afterEach(async () => {
  await iam('server', 'stop');
  await sandbox[Symbol.asyncDispose]();
});

test('names the store of a server on PostgreSQL, and no folder', async () => {
  expect((await iam('store', 'init')).code).toBe(0);
  const start = ['server', 'start', '--store', 'postgres', '--port', '0', '-o', 'json'];
  const { code, out, err } = await iam(...start);
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  const started = JSON.parse(out);
  expect(started).toMatchObject({ name: 'postgres', state: 'running', store: 'postgres' });
  expect(started).not.toHaveProperty('data');
  expect(await iam(...start)).toMatchObject({ code: 0, err: expect.stringContaining('Already running.') });
  expect(JSON.parse((await iam('server', 'status', 'postgres', '-o', 'json')).out)).toEqual([started]);
  expect(await iam('server', 'stop', 'postgres')).toMatchObject({ code: 0 });
});
