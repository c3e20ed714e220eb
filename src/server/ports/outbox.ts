/** Messages: the outbox of the store, whoever waits for one, and the relays that take from it where they are set. */
import type { Outbox } from '../identity/messages.ts';
import type { Message } from '../store/tables.ts';
import { createDeliveries } from './deliveries.ts';
import type { PortParts } from './ports.ts';
import type { Relay } from './relay.ts';
import { systemTimer, type Timer } from './timer.ts';
import { createWaiters, type Waiters } from './waiters.ts';

export interface MessagePort extends Outbox {
  readonly waitFor: Waiters['waitFor'];
  /** Hands on what a process before left. */
  start(): void;
  /** Lets go of who waits, begins no other delivery, and waits for those under way. */
  stop(): Promise<void>;
}

/** The timer is that of the tries: tests have one of their own. */
export function createOutbox(parts: PortParts, timer: Timer = systemTimer): MessagePort {
  const waiters = createWaiters();
  const relayed = openers(parts).map(([channel, openRelay]) => ({
    channel,
    deliveries: createDeliveries({ ...parts, timer, channel, openRelay }),
  }));
  const wakeAll = () => {
    for (const { deliveries } of relayed) deliveries.wake();
  };
  return {
    relays: (channel) => relayed.some((one) => one.channel === channel),
    kept() {
      waiters.wake();
      wakeAll();
    },
    waitFor: waiters.waitFor,
    start: wakeAll,
    async stop() {
      waiters.end();
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
