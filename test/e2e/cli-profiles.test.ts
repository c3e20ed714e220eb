import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startFakeServer } from '../client/fake-server.ts';
import { effort } from '../effort.ts';
import { Sandbox } from './cli-process.ts';

/** Processes that write at once. */
const writers = 2 * Math.max(2, effort);

test('concurrent processes add profiles without loss and leave no temporary files', async () => {
  await using sandbox = await Sandbox.make();
  const names = Array.from({ length: writers }, (_, at) => `p${at}`);
  const add = (name: string) => sandbox.iam(['profile', 'add', name, '--base-url', `http://${name}.example.com`]);
  const outcomes = await Promise.all(names.map(add));
  expect(outcomes.map(({ code }) => code)).toEqual(names.map(() => 0));
  const { profiles } = JSON.parse(await readFile(sandbox.file('config/iam/config.json'), 'utf8')) as {
    profiles: object;
  };
  expect(Object.keys(profiles).sort()).toEqual([...names].sort());
  expect(await readdir(sandbox.file('config/iam'))).toEqual(['config.json']);
});

test('the built command exits in time if a proxy disconnects', async () => {
  await using sandbox = await Sandbox.make();
  await using server = await startFakeServer(() => ({ hangUp: true }));
  const words = ['groups', 'list', '--proxy', server.url, '--base-url', 'https://iam.example.test', '--timeout', '1'];
  const outcome = await sandbox.iam(words, { IAM_TOKEN: 't' });
  expect(outcome).toMatchObject({ code: 75, out: '' });
  expect(outcome.err).toContain('The proxy http://');
});
