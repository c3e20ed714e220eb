/** Messages over two servers: order, waits, streams, and one delivery each. */
import { describe, expect, test } from 'vitest';
import { mobileContact } from '../../../src/server/messaging/contacts.ts';
import { enqueueMessage } from '../../../src/server/messaging/messages.ts';
import { startFakeServer } from '../../client/fake-server.ts';
import type { TestServer } from '../../harness.ts';
import { send } from '../../server/control/control-client.ts';
import { sendNotice } from '../../server/control/routes/inbox/messages.ts';
import { startReplicas, until } from './replicas.ts';

describe('the inbox', () => {
  test('wakes those who wait at the other server', async () => {
    await using replicas = await startReplicas();
    const [first, second] = replicas.servers;
    const waiting = send(second, '/_iam/inbox/wait?to=a@example.com&timeout=60s');
    const id = await sendNotice(first.appContext, 'a@example.com');
    expect(await waiting).toMatchObject({ status: 200, body: { id } });
  });

  test('has ids in the order in which messages become visible', async () => {
    await using replicas = await startReplicas();
    const { servers } = replicas;
    // Few enough that the last one gets its turn within the limit of a transaction on a slow machine, too.
    const count = 20;
    const seen: string[] = [];
    let isDone = false;
    const read = async () => {
      const after = seen.at(-1);
      const rows = await servers[1].appContext.store.messages.list(after === undefined ? {} : { after });
      seen.push(...rows.map(({ messageId }) => messageId));
    };
    const reading = (async () => {
      while (!isDone) await read();
    })();
    await Promise.all(
      Array.from({ length: count }, (_, at) =>
        sendNotice((servers[at % 2] as TestServer).appContext, `u${at}@example.com`),
      ),
    );
    isDone = true;
    await reading;
    await read();
    const all = await servers[0].appContext.store.messages.list();
    expect(seen).toEqual(all.map(({ messageId }) => messageId));
    expect(new Set(seen).size).toBe(count);
  });
});

describe('a relay', () => {
  const contact = mobileContact({ regionCode: 1, areaCode: 555, phoneNumber: 5550123 });
  const write = async ({ appContext }: TestServer, text: string) => {
    const draft = { contact, purpose: 'contact-changed', text };
    await appContext.store.transaction((tx) => enqueueMessage(tx, draft, appContext));
  };
  const allSent = async ({ appContext }: TestServer) =>
    (await appContext.store.messages.find('delivery', 'waiting')).length === 0 ? true : undefined;

  test('receives each message once, though both servers look for it', async () => {
    await using hook = await startFakeServer(() => ({ status: 204 }));
    await using replicas = await startReplicas({ flags: { 'sms-hook-url': `${hook.url}/sms` } });
    const { servers } = replicas;
    for (let at = 0; at < 20; at += 1) await write(servers[at % 2] as TestServer, `Message ${at}.`);
    for (const { appContext } of servers) appContext.outbox.wake();
    await until(() => allSent(servers[0]));
    const texts = hook.received.map(({ body }) => (JSON.parse(body) as { text: string }).text);
    expect(texts.sort()).toEqual(Array.from({ length: 20 }, (_, at) => `Message ${at}.`).sort());
  });

  test('receives the messages that a server could not send before it stopped, without waiting for its claim', async () => {
    let status = 500;
    await using hook = await startFakeServer(() => ({ status }));
    await using replicas = await startReplicas({ flags: { 'sms-hook-url': `${hook.url}/sms` } });
    const { servers } = replicas;
    const [first, second] = servers;
    await write(first, 'Left behind.');
    for (const { appContext } of servers) appContext.outbox.wake();
    // The claim of before the attempt ends after a minute, that of after it later.
    const firstClaimEnd = first.clock.now().getTime() + 60_000;
    const claim = await until(async () => {
      const [message] = await first.appContext.store.messages.list();
      return (message?.claim?.until ?? 0) > firstClaimEnd ? message?.claim : undefined;
    });
    status = 204;
    const [stopped, other] = claim.by === first.appContext.store.shared?.replica ? [first, second] : [second, first];
    await stopped[Symbol.asyncDispose]();
    other.appContext.outbox.wake();
    await until(() => allSent(other));
    expect(hook.received.at(-1)?.body).toContain('Left behind.');
  });

  test('does not receive a message that another server has claimed, until its claim ends', async () => {
    await using hook = await startFakeServer(() => ({ status: 204 }));
    await using replicas = await startReplicas({ flags: { 'sms-hook-url': `${hook.url}/sms` } });
    const [first, second] = replicas.servers;
    const until60 = first.clock.now().getTime() + 60_000;
    await first.appContext.store.transaction(async (tx) => {
      await enqueueMessage(tx, { contact, purpose: 'contact-changed', text: 'Claimed.' }, first.appContext);
      const [row] = await tx.messages.list();
      if (row) await tx.messages.replace({ ...row, claim: { by: 'r-stopped', until: until60 } });
    });
    // Both servers have looked for messages once they have sent this one.
    await write(second, 'Free.');
    for (const { appContext } of [first, second]) appContext.outbox.wake();
    await until(async () => (hook.received.length === 1 ? true : undefined));
    expect(hook.received[0]?.body).toContain('Free.');
    // Before its delivery is recorded, the claim of this message would end too.
    await until(async () => {
      const waiting = await first.appContext.store.messages.find('delivery', 'waiting');
      return waiting.length === 1 ? true : undefined;
    });
    first.clock.advance(61);
    await until(() => allSent(first));
    expect(hook.received).toHaveLength(2);
    expect(hook.received[1]?.body).toContain('Claimed.');
  });
});
