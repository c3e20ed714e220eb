/** Messages: the outbox of the store, whoever waits for one, and the relays that take from it where they are set. */
import type { Outbox } from '../identity/messages.ts';
import { parseTestRecipient } from '../identity/test-recipients.ts';
import { hasTestFeatures } from '../settings.ts';
import type { Message } from '../store/tables.ts';
import { createDelayedMessages } from './delayed-messages.ts';
import { createDeliveries } from './deliveries.ts';
import type { IntegrationDeps } from './integrations.ts';
import type { Relay } from './relay.ts';
import { createSubscribers, type Subscribers } from './subscribers.ts';

export interface MessageOutbox extends Outbox {
  readonly waitFor: Subscribers['waitFor'];
  readonly subscribe: Subscribers['subscribe'];
  /** Lets late messages arrive whose time has come: before somebody looks. */
  deliverDue(): Promise<void>;
  /** Hands on what a process before left. */
  start(): void;
  /** Lets go of who waits, begins no other delivery, and waits for those under way. */
  stop(): Promise<void>;
}

export function createOutbox(deps: IntegrationDeps): MessageOutbox {
  const subscribers = createSubscribers();
  const channels = selectRelays(deps).map(([channel, openRelay]) => ({
    channel,
    deliveries: createDeliveries({ ...deps, channel, openRelay }),
  }));
  const wakeAll = () => {
    for (const { deliveries } of channels) deliveries.wake();
  };
  const isRelayed = (channel: Message['channel']) => channels.some((one) => one.channel === channel);
  const onMessage = () => {
    subscribers.notify();
    // Where messages are read, the reader settles them; a relay has no reader.
    if (channels.length > 0) deliverDueToRelays();
  };
  const delayed = createDelayedMessages({ ...deps, isRelayed, onArrival: onMessage });
  const deliverDueToRelays = () => {
    delayed
      .deliverDue()
      .then(wakeAll, (error: unknown) => deps.log.warn({ err: error }, 'late messages stay until the next look'));
  };
  const hasOutcomes = !deps.settings.disableControlPlane && hasTestFeatures(deps.settings);
  return {
    isRelayed,
    findOutcome: (contact) => (hasOutcomes && !isRelayed(contact.channel) ? parseTestRecipient(contact) : undefined),
    wake() {
      onMessage();
      wakeAll();
    },
    waitFor: subscribers.waitFor,
    subscribe: subscribers.subscribe,
    deliverDue: delayed.deliverDue,
    start: onMessage,
    async stop() {
      subscribers.end();
      delayed.stop();
      await Promise.all(channels.map(({ deliveries }) => deliveries.stop()));
    },
  };
}

type RelayOpener = readonly [channel: Message['channel'], open: () => Promise<Relay>];

/** How to open the relay of each channel that has one. */
function selectRelays({ settings }: IntegrationDeps): RelayOpener[] {
  const { smtpUrl, smtpFrom: from, smsHookUrl, portTimeout: timeout } = settings;
  const found: RelayOpener[] = [];
  if (smtpUrl !== undefined)
    found.push(['email', async () => (await import('./smtp.ts')).createSmtpRelay({ url: smtpUrl, from, timeout })]);
  if (smsHookUrl !== undefined)
    found.push(['sms', async () => (await import('./sms-hook.ts')).createSmsHookRelay({ url: smsHookUrl, timeout })]);
  return found;
}
