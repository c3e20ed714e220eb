/** Users from a file: the ids of new users, and their tokens only on request. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { errorResponse, startFakeServer } from '../../client/fake-server.ts';
import { adminClient, startServer } from '../../harness.ts';
import { test, tokenVariables } from '../run-cli.ts';

const variables = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
const words = ['--operation', 'users create', '-o', 'jsonl'];

interface Report {
  readonly id: string;
  readonly message?: string;
}

test('creates users without a file for their tokens, and reports their ids', async ({ home }) => {
  await using server = await startServer();
  const file = home.file('users.csv');
  await writeFile(file, 'userName,userEmail\nbob,bob@example.com\ncarol,carol@example.com\n');
  const outcome = await home.iam(['bulk', 'run', file, ...words], { url: server.url, variables });
  expect(outcome.code).toBe(0);
  const ids = outcome.out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as Report).id);
  const users = await home.iam(['users', 'list', '-o', 'json'], { url: server.url, variables });
  const created = (JSON.parse(users.out) as { userId: string; userName: string }[]).filter(({ userName }) =>
    ['bob', 'carol'].includes(userName),
  );
  expect(created.map(({ userId }) => userId).toSorted()).toEqual(ids.toSorted());
  expect(`${outcome.out}${outcome.err}${await readFile(home.file('users.resume-log'), 'utf8')}`).not.toMatch(/eyJ/);
});

test('writes the tokens to --secret-output', async ({ home }) => {
  await using server = await startServer();
  const file = home.file('users.csv');
  await writeFile(file, 'userName,userEmail\nbob,bob@example.com\n');
  const secrets = home.file('tokens');
  const outcome = await home.iam(['bulk', 'run', file, ...words, '--secret-output', secrets], {
    url: server.url,
    variables,
  });
  expect(outcome.code).toBe(0);
  const { id } = JSON.parse(outcome.out) as Report;
  expect(JSON.parse(await readFile(secrets, 'utf8'))).toMatchObject({ id, accessToken: expect.stringMatching(/^eyJ/) });
});

test('rows name users and businesses by id or by name; an ambiguous name fails its row only', async ({ home }) => {
  await using server = await startServer({
    seed: {
      businesses: [
        { businessId: 'b1', businessName: 'Acme' },
        { businessId: 'b2', businessName: 'Twin' },
        { businessId: 'b3', businessName: 'Twin' },
      ],
      users: [{ userId: 'u1', userName: 'ann' }],
      groups: [{ groupName: 'ops', roles: ['VIEW'] }],
    },
  });
  const rows = [
    { operation: 'user-accesses.add-user', params: { groupName: 'ops' }, body: [{ userId: 'ann' }] },
    { operation: 'user-identities.update', params: { id: 'ann' }, body: { businessId: 'Twin' } },
    { operation: 'user-identities.update', params: { id: 'ann' }, body: { businessId: 'Acme' } },
  ];
  const file = home.file('rows.jsonl');
  await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const words = ['bulk', 'run', file, '--concurrency', '1', '-o', 'jsonl'];
  const outcome = await home.iam(words, { url: server.url, variables });
  const states = outcome.out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { state: string }).state);
  expect([outcome.code, states]).toEqual([8, ['ok', 'failed', 'ok']]);
  const { message } = JSON.parse(outcome.out.split('\n')[1] ?? '') as Report;
  expect(message).toMatch(/2 businesses match[^\n]*b2[^\n]*b3/);
  const user = await home.iam(['users', 'get', 'u1', '-o', 'json'], { url: server.url, variables });
  expect(JSON.parse(user.out)).toMatchObject({ businessId: 'b1', groups: [{ groupName: 'ops' }] });
});

test('the report and the log quote no code that the error of a server contains', async ({ home }) => {
  const token = '493817';
  await using server = await startFakeServer(() => errorResponse(412, 'CODE_INVALID', `${token} is not the code.`));
  const file = home.file('users.csv');
  await writeFile(file, `userName,userEmail,token\nbob,bob@example.com,${token}\n`);
  const outcome = await home.iam(['bulk', 'run', file, ...words], { url: server.url, variables: tokenVariables });
  expect(JSON.parse(outcome.out)).toMatchObject({ code: 'CODE_INVALID', message: expect.stringContaining('is not') });
  const log = await readFile(home.file('users.resume-log'), 'utf8');
  expect(`${outcome.out}${outcome.err}${log}`).not.toContain(token);
});
