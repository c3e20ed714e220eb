/** The clock of the built server, set by the built command. */
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { makeRunner } from './runner.ts';

test('a token expires when the clock is set to its expiry', async () => {
  await using sandbox = await makeRunner();
  const { url, variables } = await sandbox.serve(['--store', 'memory']);
  const pair = { clientId: variables.IAM_CLIENT_ID ?? '', clientSecret: variables.IAM_CLIENT_SECRET ?? '' };
  const client = createClient({ baseUrl: url, credentials: pair });
  const { accessToken } = await client.clientIdentities.login();
  await client.close();
  const groups = async () =>
    (await fetch(`${url}/security/iam/v1/groups`, { headers: { Authorization: `Bearer ${accessToken}` } })).status;
  const clock = async (...words: string[]) => {
    const { code, out } = await sandbox.iam(['clock', ...words, '-o', 'json'], variables);
    expect(code).toBe(0);
    return JSON.parse(out) as { now: string; frozen: boolean; offset: number };
  };
  const { jti, exp } = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
  expect(await clock('to-expiry', jti, '--offset', '-1s', '--freeze')).toMatchObject({
    now: new Date((exp - 1) * 1000).toISOString(),
    frozen: true,
  });
  expect(await groups()).toBe(200);
  await clock('advance', '1s');
  expect(await groups()).toBe(401);
  expect(await clock('reset')).toMatchObject({ frozen: false, offset: 0 });
  expect(await groups()).toBe(200);
  expect((await sandbox.iam(['clock', 'to-expiry', 'nothing'], variables)).code).toBe(3);
  expect((await sandbox.iam(['clock', 'advance', 'soon'], variables)).code).toBe(7);
});
