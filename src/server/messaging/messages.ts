/**
 * The outbox: every message to a user, written to the store in the same transaction as the change it reports. A
 * configured relay sends messages from it; without a relay, messages are read from the outbox.
 */
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Transaction } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Message, Otp } from '../store/tables.ts';
import type { Contact } from './contacts.ts';
import type { DeliveryOutcome } from './test-recipients.ts';

/** Sends messages and wakes subscribers that wait for one. */
export interface Outbox {
  /** Whether a relay sends messages of this channel. */
  isRelayed(channel: Contact['channel']): boolean;
  /** The delivery outcome of a test recipient; undefined for any other contact. */
  findOutcome(contact: Contact): DeliveryOutcome | undefined;
  /** Generates an id that sorts after those of all messages that are visible before this transaction's. */
  createMessageId(tx: Transaction): Promise<string>;
  /** Signals new messages; call it after the commit. */
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
  /** `{code}` is the placeholder of the code. */
  readonly text: string;
  /** Whether the message has no recipient: it is stored, so that it takes the time of a real one, and never shown or sent. */
  readonly isDecoy?: boolean;
  /** The time until which notices of the same kind are collapsed into this message. */
  readonly collapsedUntil?: Date;
  readonly code?: {
    readonly codeId: string;
    readonly code: string;
    readonly expiresAt: number;
    /** The id of the code that this one replaces. */
    readonly voids?: string | undefined;
  };
}

const retentionMs = 7 * 24 * 3600_000;
/** Old messages that are checked with each new one. */
const cleanupBatchSize = 4;

/** Adds a message to the outbox, as part of a transaction. Deletes a few expired messages. @returns the ids of the stored rows */
export async function enqueueMessage(tx: Transaction, draft: MessageDraft, deps: MessageDeps): Promise<string[]> {
  const { contact, purpose, text, code, collapsedUntil, isDecoy = false } = draft;
  const now = deps.clock.now();
  await deleteOldMessages(tx, now.getTime());
  const message = async (): Promise<Message> => ({
    messageId: await deps.outbox.createMessageId(tx),
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
      ? chooseDelivery(isDecoy, deps.outbox.isRelayed(contact.channel))
      : { delivery: 'late' as const, arrivesAt: collapsedUntil.toISOString(), collapsed: 1 }),
  });
  const outcome = isDecoy ? undefined : deps.outbox.findOutcome(contact);
  const rows = await applyOutcome(message, outcome, now.getTime());
  for (const row of rows) await tx.messages.insert(row);
  return rows.map(({ messageId }) => messageId);
}

/** Stores with its messages whether a code was used: the code itself is deleted some time after its end. */
export async function storeCodeUse(tx: Transaction, { messageIds = [] }: Otp, isUsed: boolean): Promise<void> {
  for (const messageId of messageIds) {
    const found = await tx.messages.get(messageId);
    if (!found) continue;
    const { used: _, ...message } = found;
    await tx.messages.replace(isUsed ? { ...message, used: true } : message);
  }
}

function chooseDelivery(isDecoy: boolean, isRelayed: boolean): Pick<Message, 'delivery'> {
  if (isDecoy) return { delivery: 'decoy' };
  return isRelayed ? { delivery: 'waiting' } : {};
}

/** The rows to store for a message: none, one or two. */
async function applyOutcome(
  message: () => Promise<Message>,
  outcome: DeliveryOutcome | undefined,
  now: number,
): Promise<Message[]> {
  switch (outcome?.kind) {
    case 'never':
      return [];
    case 'twice':
      return [await message(), await message()];
    case 'late':
      return [
        { ...(await message()), delivery: 'late', arrivesAt: new Date(now + outcome.milliseconds).toISOString() },
      ];
    case 'bounced':
      return [{ ...withoutCode(await message()), delivery: 'failed', failure: outcome.reason }];
    default:
      return [await message()];
  }
}

/** The decrypted code of a message; undefined if it has none that this store encrypted, or the code was removed after delivery. */
export function decryptMessageCode(message: Message, key: StoreSecret): string | undefined {
  return message.sealedCode === undefined ? undefined : key.open(message.sealedCode);
}

/** The text of a message with its code, or with asterisks if the code is no longer stored. */
export function renderMessageText(message: Message, key: StoreSecret): string {
  return message.text.replace('{code}', decryptMessageCode(message, key) ?? '******');
}

/** The subject of a mail; a text message has none. */
export function subjectOf({ codeId }: Message): string {
  return codeId === undefined ? 'Your account' : 'Your code';
}

/** The stored form of a message after it was sent or failed: without its code and the claim of a server. */
export function withoutCode({ sealedCode: _code, claim: _claim, ...message }: Message): Message {
  return message;
}

async function deleteOldMessages(tx: Transaction, now: number): Promise<void> {
  for (const { messageId, createdAt } of await tx.messages.list({ limit: cleanupBatchSize }))
    if (Date.parse(createdAt) + retentionMs < now) await tx.messages.delete(messageId);
}
