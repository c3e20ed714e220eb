/** An outbox with relays for a server that has none; a test ends its retry delays. */

import type { Timer } from '../../../src/server/lib/timer.ts';
import type { Contact } from '../../../src/server/messaging/contacts.ts';
import { decryptMessageCode } from '../../../src/server/messaging/messages.ts';
import { createOutbox, type MessageOutbox } from '../../../src/server/messaging/outbox.ts';
import { type OtpBinding, sendOtp } from '../../../src/server/mfa/otp.ts';
import type { Store } from '../../../src/server/store/store.ts';
import type { TestServer } from '../../harness.ts';

export interface RelayHarness extends AsyncDisposable {
  readonly outbox: MessageOutbox;
  /** Started retry delays in milliseconds, in order. */
  readonly pauses: readonly number[];
  /** Sends a code and returns it. */
  send(contact: Contact, holder?: OtpBinding): Promise<{ messageId: string; code: string }>;
  /** Ends every running retry delay. */
  endPauses(): void;
  /** Resolves once every waiting message has a retry delay, and that many delays have started. */
  settled(pauses?: number): Promise<void>;
  delivery(messageId: string): Promise<string | undefined>;
}

export function createRelayHarness(
  { appContext: fixture }: TestServer,
  settings: object,
  store: Store = fixture.store,
): RelayHarness {
  const pauses: number[] = [];
  let due: (() => void)[] = [];
  const timer: Timer = {
    after(milliseconds, work) {
      pauses.push(milliseconds);
      due.push(work);
      return () => {
        due = due.filter((one) => one !== work);
      };
    },
  };
  const outbox = createOutbox({ ...fixture, store, timer, settings: { ...fixture.settings, ...settings } });
  const deps = { ...fixture, outbox };
  return {
    outbox,
    pauses,
    async send(contact, holder = { purpose: 'recovery', subject: 'user:ann' }) {
      await fixture.store.transaction((tx) =>
        sendOtp(tx, { ...holder, contacts: [contact], source: { key: '192.0.2.1', isKnown: false, groups: [] } }, deps),
      );
      const message = (await fixture.store.messages.list()).at(-1);
      if (!message) throw new Error('The store has no message.');
      outbox.wake();
      return { messageId: message.messageId, code: decryptMessageCode(message, fixture.storeSecret) ?? '' };
    },
    endPauses() {
      for (const work of due.splice(0)) work();
    },
    async settled(minPauses = 0) {
      const isSettled = async () =>
        pauses.length >= minPauses && (await fixture.store.messages.find('delivery', 'waiting')).length <= due.length;
      while (!(await isSettled())) await new Promise((resolve) => setImmediate(resolve));
    },
    delivery: async (messageId) => (await fixture.store.messages.get(messageId))?.delivery,
    [Symbol.asyncDispose]: () => outbox.stop(),
  };
}
