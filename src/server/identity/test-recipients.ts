/**
 * Recipients that choose what becomes of messages to them, for tests: addresses in a domain that nobody can have
 * (RFC 2606, 2), and numbers behind a country code that no country has (E.164: 999 is kept in reserve). What stands
 * before the value, or in the middle of a number, is the test's own, so that tests do not meet.
 */
import { parseDuration } from '../durations.ts';
import type { Contact } from './contacts.ts';

export type DeliveryOutcome =
  /** The code is always this one. Else it is as any other: used once, and over after its time. */
  | { readonly kind: 'fixed'; readonly code: string }
  /** Arrives so much later, by the clock of the server. */
  | { readonly kind: 'late'; readonly milliseconds: number }
  | { readonly kind: 'never' | 'twice' }
  | { readonly kind: 'bounced'; readonly reason: string };

export const testRecipientDomain = 'inbox.example';
export const testRecipientCountryCode = '999';

const maxDelayMs = 86_400_000;

/** What becomes of messages to this contact; undefined for every contact that anybody could have, and where the value is none. */
export function parseTestRecipient({ channel, to }: Contact): DeliveryOutcome | undefined {
  return channel === 'email' ? parseTestAddress(to.toLowerCase()) : parseTestNumber(to);
}

/** `fixed+123456@`, `fixed+own-123456@`, `late+30s@`, `late+own-10m@`; `never`, `twice`, `bounced`, each with `+own` or without. */
function parseTestAddress(address: string): DeliveryOutcome | undefined {
  const end = `@${testRecipientDomain}`;
  if (!address.endsWith(end)) return undefined;
  const [, word = '', detail = ''] = /^([a-z]+)(?:\+([^@]*))?$/.exec(address.slice(0, -end.length)) ?? [];
  const value = detail.slice(detail.lastIndexOf('-') + 1);
  if (word === 'fixed') return /^\d{6}$/.test(value) ? { kind: 'fixed', code: value } : undefined;
  if (word === 'late') return createDelayedOutcome(parseDuration(value));
  if (word === 'bounced') return { kind: 'bounced', reason: '550 5.1.1 There is no such mailbox' };
  return word === 'never' || word === 'twice' ? { kind: word } : undefined;
}

/** Behind the country code: 1 and, at the end, the six digits of the code; 2 and, at the end, four digits of seconds; 3, 4 and 5 for never, twice, bounced. */
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
