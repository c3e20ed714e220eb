/**
 * The outbox: every message to a user, in the store with what it belongs to, so that it is there exactly when that is.
 * A relay, where one is set, takes from it; without one it is where messages are read.
 */
import type { Clock } from '../clock.ts';
import type { Ids } from '../ids.ts';
import type { Transaction } from '../store/store.ts';
import type { Message } from '../store/tables.ts';
import type { Contact } from './contacts.ts';
import type { StoreSecret } from './store-secret.ts';
import type { DeliveryOutcome } from './test-recipients.ts';

/** What hands messages on, and wakes whoever waits for one. */
export interface Outbox {
  /** Whether messages of this channel leave for a relay. */
  isRelayed(channel: Contact['channel']): boolean;
  /** What becomes of messages to this contact, where it is one of those that choose. */
  findOutcome(contact: Contact): DeliveryOutcome | undefined;
  /** Tells that messages were kept: after the commit. */
  wake(): void;
}

export interface MessageDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly storeSecret: StoreSecret;
  readonly outbox: Outbox;
}

export interface MessageDraft {
  readonly contact: Contact;
  readonly purpose: string;
  /** `{code}` stands where the code is to be. */
  readonly text: string;
  /** Until when it waits for others of its kind, so that one message goes out for all. */
  readonly collapsedUntil?: Date;
  readonly code?: {
    readonly codeId: string;
    readonly code: string;
    readonly expiresAt: number;
    /** The code that was good until this one. */
    readonly voids?: string | undefined;
  };
}

/** So long messages are kept, and */
const retentionMs = 7 * 24 * 3600_000;
/** so many old ones are looked at with each new one. */
const cleanupBatchSize = 4;

/** Puts a message into the outbox, as part of a transaction. Messages of long ago are cleared away. */
export async function enqueueMessage(tx: Transaction, draft: MessageDraft, deps: MessageDeps): Promise<void> {
  const { contact, purpose, text, code, collapsedUntil } = draft;
  const now = deps.clock.now();
  await deleteOldMessages(tx, now.getTime());
  const message = (): Message => ({
    messageId: deps.ids.newId(),
    ...contact,
    purpose,
    text,
    createdAt: now.toISOString(),
    ...(code === undefined
      ? {}
      : {
          codeId: code.codeId,
          ...(code.voids === undefined ? {} : { voids: code.voids }),
          sealedCode: deps.storeSecret.seal(code.code),
          expiresAt: new Date(code.expiresAt * 1000).toISOString(),
        }),
    ...(collapsedUntil === undefined
      ? deps.outbox.isRelayed(contact.channel)
        ? { delivery: 'waiting' as const }
        : {}
      : { delivery: 'late' as const, arrivesAt: collapsedUntil.toISOString(), collapsed: 1 }),
  });
  for (const row of applyOutcome(message, deps.outbox.findOutcome(contact), now.getTime()))
    await tx.messages.insert(row);
}

/** What is kept of a message: nothing, one or two. */
function applyOutcome(message: () => Message, outcome: DeliveryOutcome | undefined, now: number): Message[] {
  switch (outcome?.kind) {
    case 'never':
      return [];
    case 'twice':
      return [message(), message()];
    case 'late':
      return [{ ...message(), delivery: 'late', arrivesAt: new Date(now + outcome.milliseconds).toISOString() }];
    case 'bounced':
      return [{ ...withoutCode(message()), delivery: 'failed', failure: outcome.reason }];
    default:
      return [message()];
  }
}

/** The code of a message, for whoever may read it; undefined where it has none, or was handed on with it. */
export function decryptMessageCode(message: Message, key: StoreSecret): string | undefined {
  return message.sealedCode === undefined ? undefined : key.open(message.sealedCode);
}

/** What a message says, code and all; stars where the code is kept no more. */
export function renderMessageText(message: Message, key: StoreSecret): string {
  return message.text.replace('{code}', decryptMessageCode(message, key) ?? '******');
}

/** A message as it stays once it was handed on, or given up: without its code. */
export function withoutCode({ sealedCode: _, ...message }: Message): Message {
  return message;
}

async function deleteOldMessages(tx: Transaction, now: number): Promise<void> {
  for (const { messageId, createdAt } of await tx.messages.list({ limit: cleanupBatchSize }))
    if (Date.parse(createdAt) + retentionMs < now) await tx.messages.delete(messageId);
}
