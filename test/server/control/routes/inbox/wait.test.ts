import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { emailContact } from '../../../../../src/server/messaging/contacts.ts';
import { startServer, type TestServer } from '../../../../harness.ts';
import { open } from '../../../http/raw-http.ts';
import { sharedServer } from '../../../operations/access.ts';
import { stopPromptly } from '../../../start/prompt-stop.ts';
import { send } from '../../control-client.ts';
import { sendNotice, sendTestCode } from './messages.ts';

const path = '/_iam/inbox/wait';

/** How often the messages were searched. */
interface LookupCount {
  count: number;
}

function countLookups({ appContext: fixture }: TestServer): LookupCount {
  const { messages } = fixture.store;
  const lookups = { count: 0 };
  for (const name of ['list', 'find'] as const) {
    const inner = messages[name].bind(messages) as (...args: unknown[]) => Promise<unknown>;
    const counting = (...args: unknown[]) => {
      // The check for delayed messages is separate.
      if (args[0] !== 'delivery') lookups.count += 1;
      return inner(...args);
    };
    Object.assign(messages, { [name]: counting });
  }
  return lookups;
}

/** Resolves once that many callers have searched and are waiting. */
async function waitForLookups(lookups: LookupCount, count: number): Promise<void> {
  while (lookups.count < count) await new Promise((resolve) => setImmediate(resolve));
}

describe('waiting for a message', () => {
  test('returns the newest existing message at once', async () => {
    await using server = await startServer();
    await sendNotice(server.appContext, 'a@example.com');
    const id = await sendNotice(server.appContext, 'a@example.com');
    await sendNotice(server.appContext, 'b@example.com');
    expect(await send(server, `${path}?to=A@example.com&timeout=60`)).toMatchObject({ status: 200, body: { id } });
  });

  test('returns the oldest message after a given message', async () => {
    await using server = await startServer();
    const first = await sendNotice(server.appContext, 'a@example.com');
    const second = await sendNotice(server.appContext, 'a@example.com');
    await sendNotice(server.appContext, 'a@example.com');
    expect(await send(server, `${path}?after=${first}`)).toMatchObject({ body: { id: second } });
  });

  test('returns a later message with its code, and does not search in between', async () => {
    await using server = await startServer();
    const old = await sendNotice(server.appContext, 'a@example.com');
    const lookups = countLookups(server);
    const response = send(server, `${path}?to=a@example.com&purpose=mfa&after=${old}&timeout=60s`);
    await waitForLookups(lookups, 1);
    await sendNotice(server.appContext, 'a@example.com');
    await sendNotice(server.appContext, 'b@example.com');
    const id = await sendTestCode(
      server.appContext,
      { purpose: 'mfa', subject: 'user:ann' },
      emailContact('a@example.com'),
    );
    // Once at first and once for each message; this test itself searches three times.
    expect(lookups.count).toBeLessThanOrEqual(7);
    expect(await response).toMatchObject({
      status: 200,
      body: { id, code: expect.stringMatching(/^\d{6}$/), attemptsLeft: 5 },
    });
  });

  test('ends after the requested timeout', async () => {
    await using server = await startServer();
    const before = performance.now();
    for (const timeout of ['0', '0s', '1s'])
      expect(await send(server, `${path}?timeout=${timeout}`)).toMatchObject({
        status: 404,
        body: [{ code: 'MESSAGE_NOT_FOUND' }],
      });
    expect(performance.now() - before).toBeGreaterThan(950);
  });

  const shared = sharedServer();
  test.each(['61', '61s', '-1', '1m', '', 'x', '100', '1.5'])('rejects the timeout %j', async (timeout) => {
    const server = shared();
    expect(await send(server, `${path}?timeout=${timeout}`)).toMatchObject({
      status: 400,
      body: [{ code: 'FIELD_VALUE' }],
    });
  });

  test('serves a hundred callers at a time, each of which gets the message', async () => {
    await using server = await startServer();
    const lookups = countLookups(server);
    const responses = Array.from({ length: 100 }, () => send(server, `${path}?timeout=60`));
    await waitForLookups(lookups, 100);
    expect(await send(server, path)).toMatchObject({ status: 429, body: [{ code: 'TOO_MANY_WAITERS' }] });
    const id = await sendNotice(server.appContext, 'a@example.com');
    const got = await Promise.all(responses);
    expect(got.filter(({ status, body }) => status === 200 && (body as { id: string }).id === id)).toHaveLength(100);
    expect(await send(server, path)).toMatchObject({ status: 200 });
  });

  test('is cancelled when the caller disconnects', async () => {
    await using server = await startServer();
    const lookups = countLookups(server);
    for (let turn = 1; turn <= 2; turn += 1) {
      lookups.count = 0;
      const sockets = await Promise.all(Array.from({ length: 100 }, () => open(server)));
      const { host } = new URL(server.url);
      for (const socket of sockets) socket.write(`GET ${path}?timeout=60 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      await waitForLookups(lookups, 100);
      await Promise.all(
        sockets.map((socket) => {
          socket.destroy();
          return once(socket, 'close');
        }),
      );
      await waitForFreeSlots(server);
    }
  });

  test.each(['61', '61s', '120s', '100000'])('timeout=%s is rejected with the bound', async (timeout) => {
    const server = shared();
    const { status, body } = await send(server, `${path}?timeout=${timeout}`);
    expect([status, body]).toMatchObject([400, [{ message: 'timeout must be at most 60 seconds.' }]]);
  });

  test('a timeout in another form is rejected with the form', async () => {
    await using server = await startServer();
    const { status, body } = await send(server, `${path}?timeout=2m`);
    expect([status, body]).toMatchObject([400, [{ message: 'timeout must be seconds, such as 10 or 10s.' }]]);
  });

  test('does not delay a shutdown', async () => {
    const server = await startServer();
    const lookups = countLookups(server);
    const response = send(server, `${path}?timeout=60`);
    await waitForLookups(lookups, 1);
    await stopPromptly(server);
    expect(await response).toMatchObject({ status: 404 });
  });
});

/** Resolves once the server has noticed the closed connections. */
async function waitForFreeSlots(server: TestServer): Promise<void> {
  let status = 0;
  while (status !== 404) ({ status } = await send(server, `${path}?timeout=0`));
}
