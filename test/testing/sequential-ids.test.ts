import { expect, test } from 'vitest';
import { type IamInstance, type StartOptions, startServer } from '../../src/testing/index.ts';

const options = {
  ids: 'sequential',
  settings: { 'fast-passwords': true },
  seed: {
    users: [
      { userId: 'ann', password: 'correct horse battery staple' },
      { userId: 'bob', userName: 'bob', password: 'correct horse battery staple' },
    ],
    groups: [{ groupName: 'ops', roles: ['DEPLOY'], users: ['ann'] }],
  },
} satisfies StartOptions;

async function createGroup({ client }: IamInstance): Promise<string> {
  await client.groups.create({ body: { groupName: 'new', roles: ['VIEW'] } });
  return (await client.groups.get({ params: { groupId: 'new' } })).groupId;
}

test('sequential ids are the same at each start, after each reset, and in forks and sandboxes', async () => {
  await using iam = await startServer(options);
  await using fork = await iam.fork();
  await using sandbox = await iam.sandboxes.create('one');
  const first = await createGroup(iam);
  expect(first).toMatch(/^0{16}/);
  await using again = await startServer(options);
  expect(await createGroup(again)).toBe(first);
  expect(again.credentials.adminClientId).toBe(iam.credentials.adminClientId);
  await iam.reset();
  expect(await createGroup(iam)).toBe(first);
  await iam.client.raw('POST', '/_iam/state/reset');
  expect(await createGroup(iam)).toBe(first);
  const snapshots = '/_iam/state/snapshots';
  const post = (path: string, body?: object) => iam.client.raw('POST', path, { body });
  await post(snapshots, { name: 'with-group' });
  await post('/_iam/state/reset');
  await post(`${snapshots}/with-group/restore`);
  await iam.client.groups.create({ body: { groupName: 'later', roles: ['VIEW'] } });
  const ofFork = await createGroup(fork);
  await fork.reset();
  expect(await createGroup(fork)).toBe(ofFork);
  const ofSandbox = await createGroup(sandbox);
  await sandbox.reset();
  expect(await createGroup(sandbox)).toBe(ofSandbox);
  const [request] = iam.requests.list();
  expect(request?.id).toMatch(/^request-\d+$/);
});
