import { describe, expect, test } from 'vitest';
import { errorResponse, type FakeResponse, startFakeServer } from '../../client/fake-server.ts';
import { iam } from '../run-cli.ts';

const to = 'alice@example.com';
const good = { id: 'm2', to, channel: 'email', purpose: 'mfa', code: '123456', text: 'Your code', attemptsLeft: 5 };
const used = { ...good, id: 'm1', code: '111111', attemptsLeft: undefined };
const notice = { id: 'm3', to, channel: 'email', purpose: 'contact-changed', text: 'Changed' };
const none = errorResponse(404, 'MESSAGE_NOT_FOUND');

/** Lists these messages, and serves waiting requests one after the other. */
function inbox(listed: readonly object[], ...waits: readonly FakeResponse[]) {
  const remaining = [...waits];
  return startFakeServer(({ path }) => (path.includes('/wait') ? (remaining.shift() ?? none) : { json: listed }));
}

const queriesOf = (received: readonly { readonly path: string }[]) =>
  received.map(({ path }) => Object.fromEntries(new URL(path, 'http://x').searchParams));

describe('inbox list', () => {
  test('sends the filters and prints the main columns', async () => {
    await using server = await inbox([good]);
    const { code, out } = await iam(['inbox', 'list', '--to', to, '--purpose', 'mfa'], server);
    expect([code, out]).toEqual([0, 'ID  TO                 PURPOSE  CODE\nm2  alice@example.com  mfa      123456\n']);
    expect(queriesOf(server.received)).toEqual([{ to, purpose: 'mfa', limit: '1000' }]);
  });

  test('reads all pages', async () => {
    await using server = await startFakeServer(({ path }) =>
      path.includes('after=')
        ? { json: [used] }
        : { status: 206, json: [good], headers: { link: '</_iam/inbox?after=x>; rel="next"' } },
    );
    expect(await iam(['inbox', 'ls', '--all', '-o', 'name'], server)).toMatchObject({ code: 0, out: 'm2\nm1\n' });
  });
});

describe('inbox code', () => {
  test('prints only the newest valid code', async () => {
    await using server = await inbox([notice, used, good, { ...good, code: '222222' }]);
    expect(await iam(['inbox', 'code', to], server)).toEqual({ code: 0, out: '123456\n', err: '' });
    expect(server.received).toHaveLength(1);
  });

  test.each([[[]], [[used, notice]]])('exits with 3 without a code', async (listed) => {
    await using server = await inbox(listed);
    const outcome = await iam(['inbox', 'code', to], server);
    expect(outcome).toMatchObject({ code: 3, out: '' });
    expect(outcome.err).toContain(`No valid code for ${to} found.`);
    expect(server.received).toHaveLength(1);
  });

  test('waits for a new code and skips messages without one', async () => {
    await using server = await inbox([used], { json: notice }, { json: good });
    const outcome = await iam(['inbox', 'code', to, '--purpose', 'mfa', '--wait', '10s'], server);
    expect(outcome).toEqual({ code: 0, out: '123456\n', err: '' });
    expect(queriesOf(server.received)).toEqual([
      { to, purpose: 'mfa', limit: '100' },
      { to, purpose: 'mfa', after: 'm1', timeout: '10' },
      { to, purpose: 'mfa', after: 'm3', timeout: '10' },
    ]);
  });

  test('exits with 3 after the timeout', async () => {
    await using server = await inbox([]);
    expect((await iam(['inbox', 'code', to, '--wait', '10'], server)).code).toBe(3);
    expect(server.received).toHaveLength(2);
  });

  test.each(['x', '1m', '-1', '1.5', ''])('rejects the time %j and sends nothing', async (wait) => {
    await using server = await inbox([]);
    expect((await iam(['inbox', 'code', to, `--wait=${wait}`], server)).code).toBe(2);
    expect(server.received).toEqual([]);
  });
});

describe('inbox wait', () => {
  test('prints the message', async () => {
    await using server = await inbox([], { json: good });
    const outcome = await iam(['inbox', 'wait', '--to', to, '--after', 'm1', '-o', 'json'], server);
    expect([outcome.code, JSON.parse(outcome.out)]).toEqual([0, JSON.parse(JSON.stringify(good))]);
    expect(queriesOf(server.received)).toEqual([{ to, after: 'm1', timeout: '10' }]);
  });

  test('splits the wait into requests shorter than the timeout', async () => {
    await using server = await inbox([], none, none, { json: good });
    const outcome = await iam(['inbox', 'wait', '--wait', '60s', '--timeout', '10', '-o', 'name'], server);
    expect(outcome).toMatchObject({ code: 0, out: 'm2\n' });
    expect(queriesOf(server.received)).toEqual(Array(3).fill({ timeout: '8' }));
  });

  test('exits with 3 after the timeout', async () => {
    await using server = await inbox([]);
    expect(await iam(['inbox', 'wait', '--wait', '0'], server)).toMatchObject({ code: 3, out: '' });
    expect(server.received).toHaveLength(1);
  });
});

test.each([['list'], ['code', to], ['wait']])('inbox %s reports a missing control plane', async (...words) => {
  await using server = await startFakeServer(() => errorResponse(404, 'PATH_UNKNOWN'));
  const outcome = await iam(['inbox', ...words], server);
  expect(outcome.code).toBe(3);
  expect(outcome.err).toContain('has no control plane');
});
