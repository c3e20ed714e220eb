/** The secret guard detects the secrets that it checks for. */
import { expect, test } from 'vitest';
import { adminClient, startServer } from '../../harness.ts';
import { createSecretGuard, findSecrets } from './secret-guard.ts';

const hash = `sha256:${'0'.repeat(64)}`;
const token = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';

test.each([
  [[{ secretHash: 'x' }], ['[0].secretHash']],
  [{ group: { list: [{ a: 1 }, { passwordHash: '' }] } }, ['group.list[1].passwordHash']],
  [{ hint: hash }, ['hint']],
  [
    [`a ${hash}`, '$argon2id$v=19$m=19456', `Bearer ${token}`],
    ['[0]', '[1]', '[2]'],
  ],
  [{ privateKey: {}, salt: null, ClientSecret: 1 }, ['privateKey', 'salt', 'ClientSecret']],
  [{ groupName: 'ops', roles: ['sha256:'], dependencies: [], none: null }, []],
])('finds the secrets in %j at %j', (value, paths) => {
  expect(findSecrets(value)).toEqual(paths);
});

const line = (operation: string) => JSON.stringify({ requestId: 'r1', operation });
const headers = { 'x-request-id': 'r1' };

test('allows the secret that an operation declares, in its success response only', () => {
  const guard = createSecretGuard([]);
  guard.addLogLine(line('client-identities.create'));
  guard.check({ status: 201, headers, body: { clientId: 'x', clientSecret: 'y' } });
  expect(() => guard.check({ status: 400, headers, body: [{ clientSecret: 'y' }] })).toThrow('[0].clientSecret');
  expect(() => guard.assertClean()).toThrow('client-identities.create');
});

test.each(['groups.get', 'keys.get', 'api-key.list'])('allows no secret in a response of %s', (operation) => {
  const guard = createSecretGuard([]);
  guard.addLogLine(line(operation));
  expect(() => guard.check({ status: 200, headers, body: { keyHash: 'x' } })).toThrow('body.keyHash');
  expect(() => guard.check({ status: 200, headers: { ...headers, link: token }, body: {} })).toThrow('headers');
});

test.each([hash, token, 'the secret of the test'])('allows no secret in the log: %s', (secret) => {
  const guard = createSecretGuard(['the secret of the test']);
  guard.addLogLine(JSON.stringify({ message: `it was ${secret}` }));
  expect(() => guard.assertClean()).toThrow('log');
});

test('checks every response in a test, with its operation', async () => {
  await using server = await startServer();
  const { accessToken } = await server.as(adminClient).clientIdentities.login();
  expect(findSecrets(accessToken, 'it')).toEqual(['it']);
  const { log } = server;
  expect(log.at(-1)).toContain('"operation":"client-identities.login"');
});
