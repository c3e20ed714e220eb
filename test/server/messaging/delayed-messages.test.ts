/** Collapsed notices are relayed once their hour is over, without another message. */
import { expect, test } from 'vitest';
import { mobileContact } from '../../../src/server/messaging/contacts.ts';
import { sendNotice } from '../../../src/server/users/account-notices.ts';
import { startFakeServer } from '../../client/fake-server.ts';
import { startServer } from '../../harness.ts';
import { createRelayHarness } from './relay-harness.ts';

const contact = mobileContact({ regionCode: 1, areaCode: 555, phoneNumber: 5550123 });

test('sends collapsed notices as one message on the first poll after an hour', async () => {
  await using server = await startServer();
  await using hook = await startFakeServer(() => ({ status: 204 }));
  await using relay = createRelayHarness(server, { smsHookUrl: `${hook.url}/sms`, portTimeout: 60_000 });
  const { appContext: fixture, clock } = server;
  const received = async (count: number) => {
    while (hook.received.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  const deps = { ...fixture, outbox: relay.outbox };
  for (let at = 0; at < 8; at += 1)
    await fixture.store.transaction((tx) =>
      sendNotice(tx, { contact, purpose: 'login-changed', text: `Change ${at}.` }, deps),
    );
  relay.outbox.wake();
  await received(5);
  await relay.settled(1);
  expect(hook.received).toHaveLength(5);
  clock.advance(3600);
  relay.endPauses();
  await received(6);
  await relay.settled();
  expect(hook.received).toHaveLength(6);
  expect(JSON.parse(hook.received[5]?.body ?? '')).toMatchObject({ text: 'Change 5.\nChange 6.\nChange 7.' });
});
