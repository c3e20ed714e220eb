/** Text messages through an HTTP hook, and delivery rules of every channel. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mobileContact } from '../../../src/server/messaging/contacts.ts';
import { renderMessageText } from '../../../src/server/messaging/messages.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { type FakeResponse, type FakeServer, startFakeServer } from '../../client/fake-server.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { sendTestCode } from '../control/routes/inbox/messages.ts';
import { makeFolder, openStore } from '../store/temp-store.ts';
import { createRelayHarness } from './relay-harness.ts';

const mobile = mobileContact({ regionCode: 55, areaCode: 11, phoneNumber: 987654321 });
const recovery = { purpose: 'recovery', subject: 'user:ann' } as const;

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(async () => {
  expect(server.log.join('\n')).not.toMatch(/987654321/);
  await server[Symbol.asyncDispose]();
});

const options = ({ url }: FakeServer, portTimeout = 60_000) => ({ smsHookUrl: `${url}/hook/sms`, portTimeout });

/** A hook that returns these responses in order, and then accepts every message. */
function hook(...replies: readonly FakeResponse[]): Promise<FakeServer> {
  const remaining = [...replies];
  return startFakeServer(() => remaining.shift() ?? { status: 204 });
}

describe('a text message', () => {
  test('is posted as JSON with its code', async () => {
    await using sms = await hook();
    await using relay = createRelayHarness(server, options(sms));
    const { messageId, code } = await relay.send(mobile);
    await relay.settled();
    expect(sms.received).toMatchObject([
      { method: 'POST', path: '/hook/sms', headers: { 'content-type': 'application/json' } },
    ]);
    expect(JSON.parse(sms.received[0]?.body ?? '')).toEqual({
      id: messageId,
      to: '+5511987654321',
      text: `Your code is ${code}. It expires in ten minutes. Do not share it.`,
    });
    expect(await relay.delivery(messageId)).toBe('sent');
    expect(server.log.join('\n')).not.toContain(code);
  });

  test.each<[string, FakeResponse]>([
    ['a server error', { status: 503 }],
    ['too many requests', { status: 429 }],
    ['a broken connection', { hangUp: true }],
  ])('is posted again after %s, with the same id', async (_what, reply) => {
    await using sms = await hook(reply);
    await using relay = createRelayHarness(server, options(sms));
    const { messageId } = await relay.send(mobile);
    await relay.settled(1);
    expect(await relay.delivery(messageId)).toBe('waiting');
    relay.endPauses();
    await relay.settled();
    expect(sms.received.map(({ body }) => (JSON.parse(body) as { id: string }).id)).toEqual([messageId, messageId]);
    expect(await relay.delivery(messageId)).toBe('sent');
  });

  test('is posted again after a timeout, with the same id', async () => {
    let isSilent = true;
    await using sms = await startFakeServer(() => (isSilent ? { silent: true } : { status: 204 }));
    const impatient = createRelayHarness(server, options(sms, 100));
    const { messageId } = await impatient.send(mobile);
    await impatient.settled(1);
    await impatient[Symbol.asyncDispose]();
    isSilent = false;
    await using relay = createRelayHarness(server, options(sms));
    relay.outbox.start();
    await relay.settled();
    const ids = sms.received.map(({ body }) => (JSON.parse(body) as { id: string }).id);
    expect(new Set(ids)).toEqual(new Set([messageId]));
    expect(await relay.delivery(messageId)).toBe('sent');
  });

  test.each([400, 404, 301, 422])('is not retried after a response with status %s', async (status) => {
    await using sms = await hook({ status, headers: { location: 'http://127.0.0.1:1/' } });
    await using relay = createRelayHarness(server, options(sms));
    const { messageId, code } = await relay.send(mobile);
    await relay.settled();
    expect([await relay.delivery(messageId), sms.received.length, relay.pauses]).toEqual(['failed', 1, []]);
    expect(server.log.find((line) => line.includes('failed permanently'))).not.toContain(code);
  });
});

describe('deliveries', () => {
  test('are retried with increasing delays, six times in total', async () => {
    await using sms = await startFakeServer(() => ({ status: 500 }));
    await using relay = createRelayHarness(server, options(sms));
    const { messageId } = await relay.send(mobile);
    for (let tries = 1; tries < 6; tries += 1) {
      await relay.settled(tries);
      relay.endPauses();
    }
    await relay.settled();
    expect(relay.pauses).toEqual([1000, 5000, 30_000, 120_000, 300_000]);
    expect([await relay.delivery(messageId), sms.received.length]).toEqual(['failed', 6]);
    expect(server.log.filter((line) => line.includes('failed permanently'))).toHaveLength(1);
  });

  test('continue with other messages while one waits for a retry', async () => {
    await using sms = await hook({ status: 500 });
    await using relay = createRelayHarness(server, options(sms));
    const first = await relay.send(mobile);
    await relay.settled(1);
    const second = await relay.send(mobile, { purpose: 'mfa', subject: 'user:bob' });
    await relay.settled();
    expect([await relay.delivery(first.messageId), await relay.delivery(second.messageId)]).toEqual([
      'waiting',
      'sent',
    ]);
  });

  test('skip an expired code', async () => {
    await using sms = await hook({ status: 500 });
    await using relay = createRelayHarness(server, options(sms));
    const { messageId } = await relay.send(mobile);
    await relay.settled(1);
    server.clock.advance(600);
    relay.endPauses();
    await relay.settled();
    expect([await relay.delivery(messageId), sms.received.length]).toEqual(['failed', 1]);
  });

  test('send each of many messages once, however often the outbox is woken', async () => {
    await using sms = await hook();
    await using relay = createRelayHarness(server, options(sms));
    const sent = Array.from({ length: 120 }, (_, at) =>
      relay.send(mobileContact({ regionCode: 1, areaCode: at, phoneNumber: 5550000 }), {
        purpose: 'mfa',
        subject: `user:u${at}`,
      }),
    );
    await Promise.all(sent);
    for (let at = 0; at < 100; at += 1) relay.outbox.wake();
    await relay.settled();
    const ids = sms.received.map(({ body }) => (JSON.parse(body) as { id: string }).id);
    expect([ids.length, new Set(ids).size]).toEqual([120, 120]);
  });

  test('do not repeat an accepted message whose status could not be saved', async () => {
    await using sms = await hook();
    let failures = 2;
    const { store } = server.appContext;
    const transaction: Store['transaction'] = (work) => {
      failures -= 1;
      return failures >= 0 ? Promise.reject(new Error('the disk is full')) : store.transaction(work);
    };
    await using relay = createRelayHarness(server, options(sms), { ...store, transaction });
    const { messageId } = await relay.send(mobile);
    for (let tries = 1; tries <= 2; tries += 1) {
      await relay.settled(tries);
      relay.endPauses();
    }
    await relay.settled();
    expect([await relay.delivery(messageId), sms.received.length]).toEqual(['sent', 1]);
  });

  test('stop after the running delivery', async () => {
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using sms = await startFakeServer(async () => {
      arrived();
      await gate;
      return { status: 204 };
    });
    await using relay = createRelayHarness(server, options(sms));
    const first = await relay.send(mobile);
    await arrival;
    const second = await relay.send(mobile, { purpose: 'mfa', subject: 'user:bob' });
    const stopped = relay.outbox.stop();
    release();
    await stopped;
    expect([await relay.delivery(first.messageId), await relay.delivery(second.messageId)]).toEqual([
      'sent',
      'waiting',
    ]);
    relay.outbox.wake();
    expect(sms.received).toHaveLength(1);
  });
});

test('a stop does not wait for a relay that never responds', async () => {
  await using sms = await startFakeServer(() => ({ silent: true }));
  const relay = createRelayHarness(server, options(sms));
  const { messageId } = await relay.send(mobile);
  await until(() => sms.received.length === 1);
  const stopped = relay.outbox.stop();
  relay.endPauses();
  await stopped;
  expect(await relay.delivery(messageId)).toBe('waiting');
});

test('delivers waiting messages of the previous process on start', async () => {
  const folder = await makeFolder();
  let status = 503;
  await using sms = await startFakeServer(() => ({ status }));
  const flags = { 'sms-hook-url': sms.url };
  const first = await startServer({ flags, openStore: () => openStore(folder.directory) });
  const messageId = await sendTestCode(first.appContext, recovery, mobile);
  const message = await first.appContext.store.messages.get(messageId);
  const text = message && renderMessageText(message, first.appContext.storeSecret);
  await until(() => sms.received.length === 1);
  await first[Symbol.asyncDispose]();
  status = 200;
  const second = await startServer({ flags, openStore: () => openStore(folder.directory) });
  await until(async () => (await second.appContext.store.messages.get(messageId))?.delivery === 'sent');
  await second[Symbol.asyncDispose]();
  expect(sms.received.map(({ body }) => JSON.parse(body) as object)).toMatchObject([{ text }, { id: messageId, text }]);
  await folder.remove();
});

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise((resolve) => setImmediate(resolve));
}
