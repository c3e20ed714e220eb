/** An outbox with relays beside a server that has none, whose pauses end when a test says so. */

import type { Contact } from '../../../src/server/identity/contacts.ts';
import { decryptMessageCode } from '../../../src/server/identity/messages.ts';
import { type OtpBinding, sendOtp } from '../../../src/server/identity/otp.ts';
import { createOutbox, type MessageOutbox } from '../../../src/server/integrations/outbox.ts';
import type { Timer } from '../../../src/server/integrations/timer.ts';
import type { Store } from '../../../src/server/store/store.ts';
import type { TestServer } from '../../harness.ts';

export interface RelayHarness extends AsyncDisposable {
  readonly outbox: MessageOutbox;
  /** The pauses that were asked for, in milliseconds, in their order. */
  readonly pauses: readonly number[];
  /** Sends a code, and tells it. */
  send(contact: Contact, holder?: OtpBinding): Promise<{ messageId: string; code: string }>;
  /** Ends every pause under way. */
  endPauses(): void;
  /** Resolves once no message waits, or every one that does has a pause before its next try. */
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
  const tools = { ...fixture, outbox };
  return {
    outbox,
    pauses,
    async send(contact, holder = { purpose: 'recovery', subject: 'user:ann' }) {
      await fixture.store.transaction((tx) =>
        sendOtp(tx, { ...holder, contacts: [contact], source: { key: '192.0.2.1', isKnown: false } }, tools),
      );
      const message = (await fixture.store.messages.list()).at(-1);
      if (!message) throw new Error('there is no message');
      outbox.wake();
      return { messageId: message.messageId, code: decryptMessageCode(message, fixture.storeSecret) ?? '' };
    },
    endPauses() {
      for (const work of due.splice(0)) work();
    },
    async settled(wanted = 0) {
      const isSettled = async () =>
        pauses.length >= wanted && (await fixture.store.messages.find('delivery', 'waiting')).length <= due.length;
      while (!(await isSettled())) await new Promise((resolve) => setImmediate(resolve));
    },
    delivery: async (messageId) => (await fixture.store.messages.get(messageId))?.delivery,
    [Symbol.asyncDispose]: () => outbox.stop(),
  };
}
