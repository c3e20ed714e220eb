/** Messages: the outbox of the store, whoever waits for one, and the relays that take from it where they are set. */
import type { Outbox } from '../identity/messages.ts';
import { reservedOutcome } from '../identity/reserved-recipients.ts';
import { hasTestFeatures } from '../settings.ts';
import type { Message } from '../store/tables.ts';
import { createDeliveries } from './deliveries.ts';
import { createLateMessages } from './late-messages.ts';
import type { PortParts } from './ports.ts';
import type { Relay } from './relay.ts';
import { createWaiters, type Waiters } from './waiters.ts';

export interface MessagePort extends Outbox {
  readonly waitFor: Waiters['waitFor'];
  readonly follow: Waiters['follow'];
  /** Lets late messages arrive whose time has come: before somebody looks. */
  settle(): Promise<void>;
  /** Hands on what a process before left. */
  start(): void;
  /** Lets go of who waits, begins no other delivery, and waits for those under way. */
  stop(): Promise<void>;
}

export function createOutbox(parts: PortParts): MessagePort {
  const waiters = createWaiters();
  const relayed = openers(parts).map(([channel, openRelay]) => ({
    channel,
    deliveries: createDeliveries({ ...parts, channel, openRelay }),
  }));
  const wakeAll = () => {
    for (const { deliveries } of relayed) deliveries.wake();
  };
  const relays = (channel: Message['channel']) => relayed.some((one) => one.channel === channel);
  const look = () => {
    waiters.wake();
    // Where messages are read, the reader settles them; a relay has no reader.
    if (relayed.length > 0) settleForRelays();
  };
  const late = createLateMessages({ ...parts, relays, look });
  const settleForRelays = () => {
    late
      .settle()
      .then(wakeAll, (error: unknown) => parts.log.warn({ err: error }, 'late messages stay until the next look'));
  };
  const hasOutcomes = !parts.settings.noControl && hasTestFeatures(parts.settings);
  return {
    relays,
    outcomeOf: (contact) => (hasOutcomes && !relays(contact.channel) ? reservedOutcome(contact) : undefined),
    kept() {
      look();
      wakeAll();
    },
    waitFor: waiters.waitFor,
    follow: waiters.follow,
    settle: late.settle,
    start: look,
    async stop() {
      waiters.end();
      late.stop();
      await Promise.all(relayed.map(({ deliveries }) => deliveries.stop()));
    },
  };
}

type Opener = readonly [channel: Message['channel'], open: () => Promise<Relay>];

/** How to open the relay of each channel that has one. */
function openers({ settings }: PortParts): Opener[] {
  const { smtpUrl, smtpFrom: from, smsHookUrl, portTimeout: timeout } = settings;
  const found: Opener[] = [];
  if (smtpUrl !== undefined)
    found.push(['email', async () => (await import('./smtp.ts')).createSmtpRelay({ url: smtpUrl, from, timeout })]);
  if (smsHookUrl !== undefined)
    found.push(['sms', async () => (await import('./sms-hook.ts')).createSmsHookRelay({ url: smsHookUrl, timeout })]);
  return found;
}
