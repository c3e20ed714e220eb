import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { AppContext } from '../../../../../src/server/app-context.ts';
import { maxSubscribers } from '../../../../../src/server/lib/subscribers.ts';
import { emailContact } from '../../../../../src/server/messaging/contacts.ts';
import { enqueueMessage } from '../../../../../src/server/messaging/messages.ts';
import { sandboxIdleMinutes } from '../../../../../src/server/sandboxes/sandboxes.ts';
import { startServer, type TestServer } from '../../../../harness.ts';
import { buildHead, open } from '../../../http/raw-http.ts';
import { stopPromptly } from '../../../start/prompt-stop.ts';
import { send } from '../../control-client.ts';
import { sendNotice, sendTestCode } from './messages.ts';
import { createFakeTimer, openStream } from './sse-client.ts';

const path = '/_iam/inbox/events';
const idsOf = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);

/** Sends a number of messages at once. @returns their ids. */
async function sendMany(appContext: AppContext, count: number, text = 'Your contact was changed.'): Promise<string[]> {
  const draft = { contact: emailContact('a@example.com'), purpose: 'notice', text };
  await appContext.store.transaction(async (tx) => {
    for (let at = 0; at < count; at += 1) await enqueueMessage(tx, draft, appContext);
  });
  appContext.outbox.wake();
  return (await appContext.store.messages.list()).slice(-count).map(({ messageId }) => messageId);
}

describe('events of messages', () => {
  test('report new messages from now on, in the format of the inbox', async () => {
    await using server = await startServer();
    await sendNotice(server.appContext, 'a@example.com');
    using stream = await openStream(server, path);
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    const id = await sendTestCode(
      server.appContext,
      { purpose: 'mfa', subject: 'user:ann' },
      emailContact('a@example.com'),
    );
    const [event] = await stream.events(1);
    const { body } = await send(server, '/_iam/inbox?limit=1');
    expect([event?.id, event?.data]).toEqual([id, (body as unknown[])[0]]);
    expect(event?.data).toMatchObject({ code: expect.stringMatching(/^\d{6}$/), attemptsLeft: 5 });
  });

  test('resume after the last received event, with no event missing or duplicate, however often the client reconnects', async () => {
    await using server = await startServer();
    const [first = '', ...others] = await sendMany(server.appContext, 250);
    const seen: string[] = [];
    let last = first;
    for (const count of [1, 100, 0, 120]) {
      using stream = await openStream(server, `${path}?after=${first}`, { 'Last-Event-ID': last });
      seen.push(...idsOf(await stream.events(count)).slice(0, count));
      last = seen.at(-1) ?? first;
    }
    using stream = await openStream(server, `${path}?after=${last}`);
    const late = await sendMany(server.appContext, 5);
    seen.push(...idsOf(await stream.events(33)));
    expect(seen).toEqual([...others, ...late]);
  });

  test('can be filtered by recipient or purpose', async () => {
    await using server = await startServer();
    using one = await openStream(server, `${path}?to=A@Example.com`);
    using codes = await openStream(server, `${path}?purpose=recovery`);
    await sendNotice(server.appContext, 'b@example.com');
    const notice = await sendNotice(server.appContext, 'a@example.com');
    const code = await sendTestCode(
      server.appContext,
      { purpose: 'recovery', subject: 'user:x' },
      emailContact('b@example.com'),
    );
    const last = await sendNotice(server.appContext, 'a@example.com');
    expect(idsOf(await one.events(2))).toEqual([notice, last]);
    expect(idsOf(await codes.events(1))).toEqual([code]);
  });

  test('reject an empty id, and have no body for HEAD', async () => {
    await using server = await startServer();
    expect(await send(server, `${path}?after=`)).toMatchObject({ status: 400 });
    expect(await send(server, path, { method: 'HEAD' })).toMatchObject({ status: 200, body: undefined });
  });

  test('contain keep-alive comments', async () => {
    const timer = createFakeTimer();
    await using server = await startServer({ timer });
    using stream = await openStream(server, path);
    expect(await stream.comments(1)).toBe(1);
    timer.pass(14_999);
    const id = await sendNotice(server.appContext, 'a@example.com');
    expect(idsOf(await stream.events(1))).toEqual([id]);
    expect(await stream.comments(1)).toBe(1);
    timer.pass(1);
    expect(await stream.comments(2)).toBe(2);
    timer.pass(15_000);
    expect(await stream.comments(3)).toBe(3);
    stream[Symbol.dispose]();
    while (timer.pending > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test('are limited to a number of subscribers, and a closed one frees its slot', async () => {
    await using server = await startServer();
    const streams = await Promise.all(Array.from({ length: maxSubscribers }, () => openStream(server, path)));
    expect(await send(server, path)).toMatchObject({ status: 429, body: [{ code: 'TOO_MANY_WAITERS' }] });
    // A caller that waits for one message has a separate limit.
    expect(await send(server, '/_iam/inbox/wait?timeout=0')).toMatchObject({ status: 404 });
    const id = await sendNotice(server.appContext, 'a@example.com');
    for (const stream of streams) expect(idsOf(await stream.events(1))).toEqual([id]);
    streams.pop()?.[Symbol.dispose]();
    let status = 429;
    while (status === 429) ({ status } = await send(server, path, { method: 'HEAD' }));
    expect(status).toBe(200);
    for (const stream of streams) stream[Symbol.dispose]();
  });
});

/** A client that stops reading, once the server cannot send any more. */
async function openStalledReader(server: TestServer) {
  const socket = await open(server);
  socket.pause();
  socket.write(buildHead(`GET ${path} HTTP/1.1`, `Host: ${new URL(server.url).host}`));
  const read = countReads(server);
  while (read.count === 0) await new Promise((resolve) => setImmediate(resolve));
  await sendMany(server.appContext, 400, 'x'.repeat(60_000));
  // Long texts until the connection buffers are full: then nothing else is read for it.
  let before = -1;
  while (read.count !== before) {
    before = read.count;
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return { socket, ...read };
}

/** How many messages were read for subscribers, in batches. */
function countReads({ appContext: fixture }: TestServer) {
  const { messages } = fixture.store;
  const inner = messages.list.bind(messages);
  const read = { count: 0 };
  Object.assign(messages, {
    list: async (range?: object) => {
      read.count += 1;
      return inner(range);
    },
  });
  return read;
}

describe('a client that does not read', () => {
  test('is disconnected between two keep-alives and can resume', async () => {
    const timer = createFakeTimer();
    await using server = await startServer({ timer });
    const { socket } = await openStalledReader(server);
    expect((await server.appContext.store.messages.list()).length).toBe(400);
    timer.pass(15_000);
    expect(timer.pending).toBe(1);
    timer.pass(15_000);
    const closed = once(socket, 'close');
    socket.resume();
    await closed;
    while (timer.pending > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test('does not delay a shutdown', async () => {
    const server = await startServer();
    const { socket } = await openStalledReader(server);
    await stopPromptly(server);
    socket.destroy();
  });
});

describe('the end of the stream', () => {
  test('is sent at once and cleanly when the server stops', async () => {
    const server = await startServer();
    using stream = await openStream(server, path);
    using inside = await openStream(server, `/s/one${path}`);
    const id = await sendNotice(server.appContext, 'a@example.com');
    await stopPromptly(server);
    expect([await stream.ended, await inside.ended]).toEqual([true, true]);
    expect(idsOf(await stream.events(1))).toEqual([id]);
  });

  test('is sent when its sandbox ends, which reports its own messages only', async () => {
    await using server = await startServer();
    using main = await openStream(server, path);
    using one = await openStream(server, `/s/one${path}`);
    using two = await openStream(server, `/s/two${path}`);
    const appContext = await server.appContext.sandboxes.open('one', true);
    const id = await sendNotice(appContext, 'a@example.com');
    expect(idsOf(await one.events(1))).toEqual([id]);
    expect(await send(server, '/_iam/sandboxes/one', { method: 'DELETE' })).toMatchObject({ status: 204 });
    expect(await one.ended).toBe(true);
    server.clock.advance(sandboxIdleMinutes * 60);
    server.appContext.sandboxes.sweep();
    expect(await two.ended).toBe(true);
    const own = await sendNotice(server.appContext, 'a@example.com');
    expect(idsOf(await main.events(1))).toEqual([own]);
    expect(await two.events(0)).toEqual([]);
  });
});
