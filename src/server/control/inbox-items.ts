/** Messages as the inbox returns them. */
import * as z from 'zod';
import { reference } from '../../contract/entities.ts';
import { exampleText, Id, optionalInt, optionalText, singleLine } from '../../contract/schemas/primitives.ts';
import { sensitive } from '../../contract/sensitive.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import { contactOf } from '../messaging/contacts.ts';
import { decryptMessageCode, renderMessageText, subjectOf } from '../messaging/messages.ts';
import type { MessageOutbox } from '../messaging/outbox.ts';
import { countRemainingAttempts } from '../mfa/otp-attempts.ts';
import type { Range, Reader, Store } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Factor, Message } from '../store/tables.ts';

export const InboxItem = z.strictObject({
  id: exampleText('64b0c0ffee00000000000001', 'Id of the message; ids increase with time'),
  to: exampleText('alice@example.com'),
  channel: z.enum(['email', 'sms']),
  purpose: exampleText('AUTH-MFA'),
  subject: optionalText('Your code', 'Subject of the mail; messages to a phone have none'),
  code: sensitive(z.string(), 'one-time')
    .optional()
    .meta({ description: 'The one-time code; absent if the message is sent by a relay', examples: ['493817'] }),
  text: sensitive(z.string(), 'one-time').meta({
    description: 'Text as sent, including the code',
    examples: ['Your code is 493817.'],
  }),
  createdAt: exampleText('2026-03-01T12:00:00.000Z'),
  expiresAt: optionalText('2026-03-01T12:00:00.000Z'),
  attemptsLeft: optionalInt(
    5,
    'Remaining attempts of the source that requested the code; only while the code is valid',
  ),
  used: z
    .literal(true)
    .optional()
    .meta({ description: 'Whether the code was used', examples: [true] }),
  supersededBy: optionalText('64b0c0ffee00000000000002', 'Id of the message whose code replaced this one'),
  failure: optionalText('The relay responded with status 503.', 'Why delivery failed; the code is then absent'),
});

export const InboxFilters = {
  to: singleLine(254, 'Only messages to this address (case-insensitive) or number')
    .optional()
    .meta({ examples: ['alice@example.com'] }),
  purpose: singleLine(64, 'Only messages with this purpose')
    .optional()
    .meta({ examples: ['AUTH-MFA'] }),
  userId: Id.optional().meta({
    description: 'Only messages to the present contacts of this user',
    examples: ['alice'],
    ...reference('user', ['id']),
  }),
};

export type InboxQuery = z.output<z.ZodObject<typeof InboxFilters>>;

interface InboxDeps {
  readonly store: Reader;
  readonly storeSecret: StoreSecret;
  readonly clock: Clock;
}

/** Lists delivered messages that match, oldest first; with `after`, only those after that id. */
export async function listMessages(
  { store, outbox }: { readonly store: Reader; readonly outbox: Pick<MessageOutbox, 'deliverDue'> },
  { to, purpose, userId, after }: InboxQuery & { readonly after?: string | undefined },
): Promise<readonly Message[]> {
  await outbox.deliverDue();
  const range: Range = { after };
  const rows =
    to === undefined
      ? await store.messages.list(range)
      : await store.messages.find('to', foldIdentifier(parseContact(to)), range);
  const contacts = userId === undefined ? undefined : await readContacts(store, userId);
  return rows.filter(
    (message) =>
      isVisible(message) &&
      (purpose === undefined || message.purpose === purpose) &&
      (contacts === undefined || contacts.has(foldIdentifier(message.to))),
  );
}

/** The addresses and numbers of a user and of its factors. */
async function readContacts(store: Reader, userId: string): Promise<ReadonlySet<string>> {
  const { userEmail: email, userMobile: mobile } = (await store.users.get(userId)) ?? {};
  const factors = await store.factors.find('userId', userId);
  const contacts = [{ email }, { mobile }, ...factors].filter(
    (owner: Pick<Factor, 'email' | 'mobile'>) => owner.email !== undefined || owner.mobile !== undefined,
  );
  return new Set(contacts.map((owner) => foldIdentifier(contactOf(owner).to)));
}

function isVisible({ delivery }: Message): boolean {
  return delivery !== 'late' && delivery !== 'decoy';
}

/** Restores the plus sign of a number, which a query decodes to a space unless it is escaped. */
function parseContact(to: string): string {
  const [, digits] = /^[ +]?(\d+)$/.exec(to) ?? [];
  return digits === undefined ? to : `+${digits}`;
}

/** Deletes all messages except those that wait for their relay. */
export function emptyInbox(store: Store): Promise<void> {
  return store.transaction(async (tx) => {
    for (const { messageId, delivery } of await tx.messages.list())
      if (delivery !== 'waiting') await tx.messages.delete(messageId);
  });
}

/** Whether the recipient, the subject or the text with its code contains a text, in any case. */
export function containsText(message: Message, text: string, storeSecret: StoreSecret): boolean {
  const shown = message.delivery === undefined ? message : { ...message, sealedCode: undefined };
  const parts = [message.to, subjectOf(message), renderMessageText(shown, storeSecret)];
  return parts.join('\n').toLowerCase().includes(text.toLowerCase());
}

/** Converts a message to its JSON form, with its code and the status of the code. */
export async function toInboxItem(
  message: Message,
  { store, storeSecret, clock }: InboxDeps,
): Promise<z.input<typeof InboxItem>> {
  const { messageId, to, channel, purpose, createdAt, expiresAt, codeId, failure } = message;
  const visible = message.delivery === undefined ? message : { ...message, sealedCode: undefined };
  const code = decryptMessageCode(visible, storeSecret);
  return {
    id: messageId,
    to,
    channel,
    purpose,
    ...(channel === 'email' ? { subject: subjectOf(message) } : {}),
    ...(code === undefined ? {} : { code }),
    text: renderMessageText(visible, storeSecret),
    createdAt,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(codeId === undefined ? {} : await readCodeStatus(message, codeId, { store, storeSecret, clock })),
    ...(failure === undefined ? {} : { failure }),
  };
}

async function readCodeStatus({ used }: Message, codeId: string, { store, storeSecret, clock }: InboxDeps) {
  const now = epochSeconds(clock);
  const code = await store.codes.get(codeId);
  if (code && !code.used && code.expiresAt > now)
    return { attemptsLeft: await countRemainingAttempts(store, code, now, storeSecret) };
  if (used) return { used };
  const later = (await store.messages.find('voids', codeId)).find(isVisible);
  return later ? { supersededBy: later.messageId } : {};
}
