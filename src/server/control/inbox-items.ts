/** Messages as the inbox shows them. */
import * as z from 'zod';
import { singleLine } from '../../contract/schemas.ts';
import { sensitive } from '../../contract/sensitive.ts';
import { type Clock, epochSeconds } from '../clock.ts';
import { decryptMessageCode, renderMessageText } from '../identity/messages.ts';
import { countRemainingAttempts } from '../identity/otp-attempts.ts';
import type { StoreSecret } from '../identity/store-secret.ts';
import type { MessageOutbox } from '../integrations/outbox.ts';
import type { Range, Reader, Store } from '../store/store.ts';
import { foldIdentifier, type Message } from '../store/tables.ts';

export const InboxItem = z.strictObject({
  id: z.string().describe('Later messages have greater ids'),
  to: z.string(),
  channel: z.enum(['email', 'sms']),
  purpose: z.string(),
  code: sensitive(z.string(), 'one-time').optional().describe('Missing where the message goes out by a relay'),
  text: sensitive(z.string(), 'one-time').describe('As it was sent, with its code'),
  createdAt: z.string(),
  expiresAt: z.string().optional(),
  attemptsLeft: z
    .int()
    .optional()
    .describe(
      'How many wrong codes may still come from the source that asked for this one; only while the code is good',
    ),
  supersededBy: z.string().optional().describe('The message whose code took the place of this one'),
  failure: z.string().optional().describe('Why it could not be delivered; it then shows no code'),
});

export const InboxFilters = {
  to: singleLine(254, 'Only messages to this address, in any case, or to this number').optional(),
  purpose: singleLine(64, 'Only messages of this purpose').optional(),
};

export interface InboxQuery {
  readonly to?: string | undefined;
  readonly purpose?: string | undefined;
}

interface InboxDeps {
  readonly store: Reader;
  readonly storeSecret: StoreSecret;
  readonly clock: Clock;
}

/** Messages that fit and have arrived, the oldest first; with `after` those that came after that one. */
export async function listMessages(
  { store, outbox }: { readonly store: Reader; readonly outbox: Pick<MessageOutbox, 'deliverDue'> },
  { to, purpose, after }: InboxQuery & { readonly after?: string | undefined },
): Promise<readonly Message[]> {
  await outbox.deliverDue();
  const range: Range = { after };
  const rows =
    to === undefined
      ? await store.messages.list(range)
      : await store.messages.find('to', foldIdentifier(parseContact(to)), range);
  return rows.filter(
    (message) => message.delivery !== 'late' && (purpose === undefined || message.purpose === purpose),
  );
}

/** A number with its plus sign, which a query loses unless it is escaped. */
function parseContact(to: string): string {
  const [, digits] = /^[ +]?(\d+)$/.exec(to) ?? [];
  return digits === undefined ? to : `+${digits}`;
}

/** Removes every message, but for those that still wait for their relay. */
export function emptyInbox(store: Store): Promise<void> {
  return store.transaction(async (tx) => {
    for (const { messageId, delivery } of await tx.messages.list())
      if (delivery !== 'waiting') await tx.messages.delete(messageId);
  });
}

/** A message with its code, and what may still be done with that. */
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
    ...(code === undefined ? {} : { code }),
    text: renderMessageText(visible, storeSecret),
    createdAt,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(codeId === undefined ? {} : await readCodeStatus(codeId, { store, storeSecret }, epochSeconds(clock))),
    ...(failure === undefined ? {} : { failure }),
  };
}

async function readCodeStatus(
  codeId: string,
  { store, storeSecret }: Pick<InboxDeps, 'store' | 'storeSecret'>,
  now: number,
) {
  const code = await store.codes.get(codeId);
  if (code && !code.used && code.expiresAt > now)
    return { attemptsLeft: await countRemainingAttempts(store, code, now, storeSecret) };
  const [later] = await store.messages.find('voids', codeId, { limit: 1 });
  return later ? { supersededBy: later.messageId } : {};
}
