import { readdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startFakeServer } from '../client/fake-server.ts';
import { Sandbox } from './cli-process.ts';

test('twenty concurrent processes add profiles without loss and leave no temporary files', async () => {
  await using sandbox = await Sandbox.make();
  const names = Array.from({ length: 20 }, (_, at) => `p${at}`);
  const add = (name: string) => sandbox.iam(['profile', 'add', name, '--base-url', `http://${name}.example.com`]);
  const outcomes = await Promise.all(names.map(add));
  expect(outcomes.map(({ code }) => code)).toEqual(names.map(() => 0));
  const { profiles } = JSON.parse(await readFile(sandbox.file('config/iam/config.json'), 'utf8')) as {
    profiles: object;
  };
  expect(Object.keys(profiles).sort()).toEqual([...names].sort());
  expect(await readdir(sandbox.file('config/iam'))).toEqual(['config.json']);
});

test('the built command reads the project file', async () => {
  await using sandbox = await Sandbox.make();
  await using server = await startFakeServer(() => ({ json: [] }));
  await writeFile(sandbox.file('.iamrc.json'), JSON.stringify({ readOnly: true, output: 'json' }));
  const variables = { IAM_BASE_URL: server.url, IAM_TOKEN: 't' };
  expect(await sandbox.iam(['groups', 'list', '-q'], variables)).toEqual({ code: 0, out: '[]\n', err: '' });
  expect((await sandbox.iam(['groups', 'create', '--group-name', 'x'], variables)).code).toBe(2);
  expect(server.received).toHaveLength(1);
});

test('the built command exits in time if a proxy disconnects', async () => {
  await using sandbox = await Sandbox.make();
  await using server = await startFakeServer(() => ({ hangUp: true }));
  const words = ['groups', 'list', '--proxy', server.url, '--base-url', 'https://iam.example.test', '--timeout', '5'];
  const outcome = await sandbox.iam(words, { IAM_TOKEN: 't' });
  expect(outcome).toMatchObject({ code: 75, out: '' });
  expect(outcome.err).toContain('through the proxy');
});
