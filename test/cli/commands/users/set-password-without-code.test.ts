import { expect, test } from 'vitest';
import { appClientId, startServer, type TestServer } from '../../../harness.ts';
import { iam } from '../../run-cli.ts';

const seed = { users: [{ userId: 'ann', userName: 'ann.lee' }] };
const password = 'correct horse battery staple';

const run = (server: TestServer, words: readonly string[], stdin = password) =>
  iam(['users', 'set-password', ...words], { variables: { IAM_BASE_URL: server.url }, stdin });

test('--without-code sets the password through the control plane, for a user without contacts', async () => {
  await using server = await startServer({ seed });
  const outcome = await run(server, ['ann.lee', '--without-code', '--password-stdin', '-o', 'json']);
  expect([outcome.code, JSON.parse(outcome.out)]).toEqual([0, { userId: 'ann' }]);
  const basic = Buffer.from(`ann:${password}`).toString('base64');
  const login = await server.as().userIdentities.login({
    query: { clientId: appClientId },
    headers: { authorization: `Basic ${basic}` },
  });
  expect(login.accessToken).toBeDefined();
});

test('--without-code reports weak passwords and unknown users, and changes nothing', async () => {
  await using server = await startServer({ seed });
  const before = await server.dump();
  const weak = await run(server, ['ann', '--without-code', '--password-stdin'], 'short');
  expect([weak.code, weak.out]).toEqual([7, '']);
  expect((await run(server, ['unknown', '--without-code', '--password-stdin'])).code).toBe(3);
  const preview = await run(server, ['ann', '--without-code', '--password-stdin', '--dry-run']);
  expect(preview.out).toContain('/_iam/users/ann/password');
  expect(preview.out + preview.err).not.toContain(password);
  expect(await server.dump()).toEqual(before);
});

test.each(['--has-code', '--code-stdin', '--verify-contact'])('--without-code rejects %s', async (option) => {
  await using server = await startServer({ seed });
  expect((await run(server, ['ann', '--without-code', '--password-stdin', option])).code).toBe(2);
});
