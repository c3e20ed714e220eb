/**
 * Test recipients, which determine the delivery outcome of their messages: addresses in a reserved domain (RFC 2606, 2),
 * and numbers with an unassigned country code (E.164: 999 is reserved). The text before the value, or in the middle of a
 * number, is free, so that tests can use distinct recipients.
 */
import { parseDuration } from '../lib/durations.ts';
import type { Contact } from './contacts.ts';

export type DeliveryOutcome =
  /** The code always has this value. Otherwise it behaves like any code: single use, and it expires. */
  | { readonly kind: 'fixed'; readonly code: string }
  /** Arrives with this delay, by the server's clock. */
  | { readonly kind: 'late'; readonly milliseconds: number }
  | { readonly kind: 'never' | 'twice' }
  | { readonly kind: 'bounced'; readonly reason: string };

const testRecipientDomain = 'inbox.example';

const maxDelayMs = 86_400_000;

/** The delivery outcome of a contact; undefined for any real contact and for an invalid value. */
export function parseTestRecipient({ channel, to }: Contact): DeliveryOutcome | undefined {
  return channel === 'email' ? parseTestAddress(to.toLowerCase()) : parseTestNumber(to);
}

/** `fixed+123456@`, `fixed+own-123456@`, `late+30s@`, `late+own-10m@`; `never`, `twice`, `bounced`, each with `+own` or without. */
function parseTestAddress(address: string): DeliveryOutcome | undefined {
  const end = `@${testRecipientDomain}`;
  if (!address.endsWith(end)) return undefined;
  const [, keyword = '', detail = ''] = /^([a-z]+)(?:\+([^@]*))?$/.exec(address.slice(0, -end.length)) ?? [];
  const value = detail.slice(detail.lastIndexOf('-') + 1);
  if (keyword === 'fixed') return /^\d{6}$/.test(value) ? { kind: 'fixed', code: value } : undefined;
  if (keyword === 'late') return createDelayedOutcome(parseDuration(value));
  if (keyword === 'bounced') return { kind: 'bounced', reason: '550 5.1.1 Mailbox not found' };
  return keyword === 'never' || keyword === 'twice' ? { kind: keyword } : undefined;
}

/**
 * After the country code: 1 and the six digits of the code at the end; 2 and four digits of seconds at the end; 3, 4 and
 * 5 for never, twice and bounced.
 */
function parseTestNumber(number: string): DeliveryOutcome | undefined {
  const [, kind, rest = ''] = /^\+999([1-5])(\d*)$/.exec(number) ?? [];
  if (kind === '1') return rest.length >= 6 ? { kind: 'fixed', code: rest.slice(-6) } : undefined;
  if (kind === '2') return rest.length >= 4 ? createDelayedOutcome(Number(rest.slice(-4)) * 1000) : undefined;
  if (kind === '5') return { kind: 'bounced', reason: 'The number is not in service' };
  if (kind === undefined) return undefined;
  return { kind: kind === '3' ? 'never' : 'twice' };
}

function createDelayedOutcome(milliseconds: number | undefined): DeliveryOutcome | undefined {
  if (milliseconds === undefined || milliseconds <= 0 || milliseconds > maxDelayMs) return undefined;
  return { kind: 'late', milliseconds };
}
