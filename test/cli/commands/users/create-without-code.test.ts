import { expect, test } from 'vitest';
import type { TestServer } from '../../../harness.ts';
import { canLogin, newPassword, runUsers, startUserServer } from './account-fixture.ts';

const create = (server: TestServer, words: readonly string[], stdin?: string) =>
  runUsers(server, ['create', '--without-code', ...words], stdin === undefined ? {} : { stdin });

test('--without-code creates a user with a password and a verified address', async () => {
  await using server = await startUserServer();
  const words = ['--user-id', 'erin', '--user-name', 'erin.lee', '--user-email', 'erin@example.com', '--verified'];
  const outcome = await create(server, [...words, '--password-stdin', '-o', 'json'], `${newPassword}\n`);
  expect([outcome.code, outcome.err]).toEqual([0, '']);
  expect(JSON.parse(outcome.out)).toEqual({ userId: 'erin' });
  expect(await canLogin(server, 'erin.lee', newPassword)).toBe(true);
  expect(await canLogin(server, 'erin@example.com', newPassword)).toBe(true);
});

test('--without-code needs neither an address nor a password, and reads fields from a file', async () => {
  await using server = await startUserServer();
  expect((await create(server, ['--user-name', 'erin', '-o', 'name'])).code).toBe(0);
  expect((await create(server, ['-f', '-'], '{"userName":"frank","lead":true}')).code).toBe(0);
  const { json } = await server.send({ method: 'GET', path: '/_iam/users?name=frank' });
  expect(json).toMatchObject([{ userName: 'frank', lead: true }]);
  const again = await create(server, ['--user-name', 'frank', '--if-not-exists', '-o', 'json']);
  expect([again.code, JSON.parse(again.out)]).toMatchObject([0, { created: false }]);
});

test('--without-code reports weak passwords and taken names, and changes nothing', async () => {
  await using server = await startUserServer();
  const before = await server.dump();
  expect((await create(server, ['--user-name', 'erin', '--password-stdin'], 'short')).code).toBe(7);
  expect((await create(server, ['--user-name', 'alice'])).code).toBe(6);
  expect((await create(server, [])).code).toBe(10);
  const preview = await create(server, ['--user-name', 'erin', '--password-stdin', '--dry-run'], newPassword);
  expect([preview.code, preview.out]).toEqual([0, expect.stringContaining('/_iam/users')]);
  expect(preview.out + preview.err).not.toContain(newPassword);
  expect(await server.dump()).toEqual(before);
});

test.each([['--client-id', 'x'], ['--remember-me'], ['--token-file', 'f'], ['--show-token'], ['--secret-output', 'f']])(
  '--without-code rejects %s',
  async (...words) => {
    await using server = await startUserServer();
    expect((await create(server, ['--user-name', 'erin', ...words])).code).toBe(2);
  },
);

test.each(['--verified', '--password-stdin'])('%s requires --without-code', async (option) => {
  await using server = await startUserServer();
  const words = ['create', '--user-name', 'erin', '--user-email', 'erin@example.com', option];
  expect((await runUsers(server, words)).code).toBe(2);
});
