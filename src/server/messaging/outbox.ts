/** The message outbox: messages in the store, subscribers that wait for them, and relays if configured. */

import { hasTestFeatures, type Settings } from '../config/settings.ts';
import type { Ids } from '../lib/ids.ts';
import { createSubscribers, type Subscribers } from '../lib/subscribers.ts';
import type { Transaction } from '../store/store.ts';
import type { Message } from '../store/tables.ts';
import { createDelayedMessages, type DelayedMessagesDeps } from './delayed-messages.ts';
import { Deliveries, type DeliveryDeps } from './deliveries.ts';
import { createMessageId } from './message-ids.ts';
import { startMessagePoll } from './message-poll.ts';
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

type Deps = Omit<DelayedMessagesDeps, 'isRelayed' | 'onArrival' | 'createMessageId'> &
  Omit<DeliveryDeps, 'channel' | 'openRelay'> & { readonly settings: Settings; readonly ids: Ids };

export function createOutbox(deps: Deps): MessageOutbox {
  const subscribers = createSubscribers();
  let stopPoll = () => {};
  const channels = selectRelays(deps).map(([channel, openRelay]) => ({
    channel,
    deliveries: new Deliveries({ ...deps, channel, openRelay }),
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
  const newMessageId = (tx: Transaction) => createMessageId(tx, deps);
  const delayed = createDelayedMessages({ ...deps, createMessageId: newMessageId, isRelayed, onArrival: onMessage });
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
    createMessageId: newMessageId,
    wake() {
      onMessage();
      wakeAll();
    },
    waitFor: subscribers.waitFor,
    subscribe: subscribers.subscribe,
    onNotify: subscribers.onNotify,
    deliverDue: delayed.deliverDue,
    start() {
      onMessage();
      if (deps.store.shared)
        stopPoll = startMessagePoll(deps, {
          isWaited: subscribers.isWaited,
          onNews: onMessage,
          onRelayTime: () => (channels.length > 0 ? deliverDueToRelays() : undefined),
        });
    },
    async stop() {
      stopPoll();
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
