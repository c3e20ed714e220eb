import { type IamServer, startServer } from 'iam-standin';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mayAudit } from './audit.ts';

let origin: IamServer;

beforeAll(async () => {
  origin = await startServer({
    clock: { at: '2030-01-01T12:00:00Z', frozen: true },
    seed: {
      users: [
        { userId: 'ann', userName: 'ann' },
        { userId: 'bob', userName: 'bob' },
      ],
      groups: [{ groupName: 'auditors', roles: ['IAM_ADMIN_READ_ONLY'], users: ['ann'] }],
    },
  });
});
afterAll(() => origin.stop());

// Each test forks a separate server, so the tests can run concurrently.
test.concurrent('only auditors may list groups', async () => {
  await using iam = await origin.fork();
  const [ann, bob] = [await iam.signIn('ann'), await iam.signIn('bob')];
  expect(await mayAudit(iam.baseUrl, ann.accessToken)).toBe(true);
  expect(await mayAudit(iam.baseUrl, bob.accessToken)).toBe(false);
});

test.concurrent('a granted role applies immediately', async () => {
  await using iam = await origin.fork();
  await iam.client.userAccesses.addUser({ params: { groupName: 'auditors' }, body: { userId: 'bob' } });
  const { accessToken } = await iam.signIn('bob');
  expect(await mayAudit(iam.baseUrl, accessToken)).toBe(true);
});

test.concurrent('a token expires after an hour', async () => {
  await using iam = await origin.fork();
  const { accessToken } = await iam.signIn('ann');
  await iam.clock.toExpiry(accessToken, '-1s');
  expect(await mayAudit(iam.baseUrl, accessToken)).toBe(true);
  iam.clock.advance('1s');
  expect(await mayAudit(iam.baseUrl, accessToken)).toBe(false);
});
