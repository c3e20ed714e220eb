/** The message outbox: messages in the store, subscribers that wait for them, and relays if configured. */

import { hasTestFeatures, type Settings } from '../config/settings.ts';
import { createSubscribers, type Subscribers } from '../lib/subscribers.ts';
import type { Message } from '../store/tables.ts';
import { createDelayedMessages, type DelayedMessagesDeps } from './delayed-messages.ts';
import { createDeliveries, type DeliveryDeps } from './deliveries.ts';
import type { Outbox } from './messages.ts';
import type { Relay } from './relay.ts';
import { parseTestRecipient } from './test-recipients.ts';

export interface MessageOutbox extends Outbox {
  readonly waitFor: Subscribers['waitFor'];
  readonly subscribe: Subscribers['subscribe'];
  /** Calls `work` when messages may have arrived. @returns a function that unsubscribes. */
  readonly onNotify: Subscribers['onNotify'];
  /** Delivers delayed messages that are due; called before messages are read. */
  deliverDue(): Promise<void>;
  /** Resumes deliveries that a previous process left. */
  start(): void;
  /** Ends all waits, starts no further delivery, and waits for deliveries in progress. */
  stop(): Promise<void>;
}

type Deps = Omit<DelayedMessagesDeps, 'isRelayed' | 'onArrival'> &
  Omit<DeliveryDeps, 'channel' | 'openRelay'> & { readonly settings: Settings };

export function createOutbox(deps: Deps): MessageOutbox {
  const subscribers = createSubscribers();
  const channels = selectRelays(deps).map(([channel, openRelay]) => ({
    channel,
    deliveries: createDeliveries({ ...deps, channel, openRelay }),
  }));
  const wakeAll = () => {
    for (const { deliveries } of channels) deliveries.wake();
  };
  const isRelayed = (channel: Message['channel']) => channels.some((relayed) => relayed.channel === channel);
  const onMessage = () => {
    subscribers.notify();
    // Readers deliver due messages themselves; relays have no reader.
    if (channels.length > 0) deliverDueToRelays();
  };
  const delayed = createDelayedMessages({ ...deps, isRelayed, onArrival: onMessage });
  const deliverDueToRelays = () => {
    delayed
      .deliverDue()
      .then(wakeAll, (error: unknown) =>
        deps.log.warn({ err: error }, 'delayed messages could not be delivered, will retry'),
      );
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
    onNotify: subscribers.onNotify,
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

/** Openers of the configured relays. */
function selectRelays({ settings }: Pick<Deps, 'settings'>): RelayOpener[] {
  const { smtpUrl, smtpFrom: from, smsHookUrl, portTimeout: timeout } = settings;
  const found: RelayOpener[] = [];
  if (smtpUrl !== undefined)
    found.push(['email', async () => (await import('./smtp.ts')).createSmtpRelay({ url: smtpUrl, from, timeout })]);
  if (smsHookUrl !== undefined)
    found.push(['sms', async () => (await import('./sms-hook.ts')).createSmsHookRelay({ url: smsHookUrl, timeout })]);
  return found;
}
