import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { iam } from '../run-cli.ts';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startServer();
  token = (await server.as(adminClient).clientIdentities.login()).accessToken;
});
afterAll(() => server[Symbol.asyncDispose]());

const run = (words: string[], stdin?: string) =>
  iam(words, { variables: { IAM_BASE_URL: server.url }, ...(stdin === undefined ? {} : { stdin }) });

test('token inspect --status prints the state of a token, and exits with 1 for one that is rejected', async () => {
  const active = await run(['token', 'inspect', '--status', '-f', '-', '-o', 'json'], token);
  expect([active.code, active.err, JSON.parse(active.out)]).toMatchObject([0, '', { status: 'active' }]);
  const table = await run(['token', 'inspect', '--status', '-f', '-'], token);
  expect(table.out).toMatch(/^status +active$/m);
  await server.admin.raw('POST', '/_iam/revoke', { body: { token } });
  const revoked = await run(['token', 'inspect', '--status', '-f', '-', '-o', 'json'], token);
  expect([revoked.code, JSON.parse(revoked.out)]).toMatchObject([1, { status: 'revoked', active: false }]);
});

test('token inspect --status does not print the token with --debug', async () => {
  const { err } = await run(['token', 'inspect', '--status', '-f', '-', '--debug'], token);
  expect(err).toContain('/_iam/tokens/inspect');
  expect(err).not.toContain(token);
});

test('keys list prints state and dates', async () => {
  const { code, out } = await run(['keys', 'list']);
  expect(code).toBe(0);
  expect(out).toMatch(/^STATE +PURPOSE +CREATED AT +KID\ncurrent +access-token +\d{4}-\d\d-\d\dT/);
});
