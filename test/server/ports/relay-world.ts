/** An outbox with relays beside a server that has none, whose pauses end when a test says so. */

import type { Contact } from '../../../src/server/identity/contacts.ts';
import { codeOf } from '../../../src/server/identity/messages.ts';
import { type CodeHolder, sendCode } from '../../../src/server/identity/otp.ts';
import { createOutbox, type MessagePort } from '../../../src/server/ports/outbox.ts';
import type { Timer } from '../../../src/server/ports/timer.ts';
import type { Store } from '../../../src/server/store/store.ts';
import type { TestServer } from '../../harness.ts';

export interface RelayWorld extends AsyncDisposable {
  readonly outbox: MessagePort;
  /** The pauses that were asked for, in milliseconds, in their order. */
  readonly pauses: readonly number[];
  /** Sends a code, and tells it. */
  send(contact: Contact, holder?: CodeHolder): Promise<{ messageId: string; code: string }>;
  /** Ends every pause under way. */
  endPauses(): void;
  /** Resolves once no message waits, or every one that does has a pause before its next try. */
  settled(pauses?: number): Promise<void>;
  delivery(messageId: string): Promise<string | undefined>;
}

export function createRelayWorld({ world }: TestServer, settings: object, store: Store = world.store): RelayWorld {
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
  const outbox = createOutbox({ ...world, store, timer, settings: { ...world.settings, ...settings } });
  const tools = { ...world, outbox };
  return {
    outbox,
    pauses,
    async send(contact, holder = { purpose: 'recovery', subject: 'user:ann' }) {
      await world.store.transaction((tx) =>
        sendCode(tx, { ...holder, contacts: [contact], source: { key: '192.0.2.1', isKnown: false } }, tools),
      );
      const message = (await world.store.messages.list()).at(-1);
      if (!message) throw new Error('there is no message');
      outbox.kept();
      return { messageId: message.messageId, code: codeOf(message, world.storeKey) ?? '' };
    },
    endPauses() {
      for (const work of due.splice(0)) work();
    },
    async settled(wanted = 0) {
      const isSettled = async () =>
        pauses.length >= wanted && (await world.store.messages.find('delivery', 'waiting')).length <= due.length;
      while (!(await isSettled())) await new Promise((resolve) => setImmediate(resolve));
    },
    delivery: async (messageId) => (await world.store.messages.get(messageId))?.delivery,
    [Symbol.asyncDispose]: () => outbox.stop(),
  };
}
