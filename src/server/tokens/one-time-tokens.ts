/** One-time tokens: random values that expire soon and can be used once. The store contains only their hashes. */

import type { Clock } from '../lib/clock.ts';
import { epochSeconds } from '../lib/clock.ts';
import { generateSecret, type Random } from '../lib/random.ts';
import { hashSecret } from '../lib/secrets.ts';
import { clearExpired } from '../store/clear-expired.ts';
import type { Transaction } from '../store/store.ts';
import type { OneTimeToken } from '../store/tables.ts';

interface Deps {
  readonly clock: Clock;
  readonly random: Random;
}

type OneTimeTokenKind = OneTimeToken['kind'];

/** Lifetime of each kind in seconds. */
export const oneTimeTokenLifetimes: Readonly<Record<OneTimeTokenKind, number>> = {
  param: 60,
  'certificate-nonce': 120,
  'auth-smart': 300,
  // A code is accepted for a minute, and its second use noticed for ten.
  'authorization-code': 600,
  'pushed-request': 60,
  // A device code is accepted for ten minutes, and then reported as expired.
  'device-code': 1200,
  'user-code': 600,
  'provider-login': 600,
};

/** Issues a token of 256 random bits with the given binding. */
export async function issueOneTimeToken(
  tx: Transaction,
  token: Omit<OneTimeToken, 'ticketHash' | 'expiresAt'>,
  { clock, random }: Deps,
): Promise<{ readonly value: string; readonly expiresIn: string }> {
  const value = generateSecret(random);
  const ticketHash = hashSecret(value);
  const now = epochSeconds(clock);
  await clearExpired(tx.tickets, (row) => row.ticketHash, now, ticketHash);
  const lifetime = oneTimeTokenLifetimes[token.kind];
  await tx.tickets.insert({ ...token, ticketHash, expiresAt: now + lifetime });
  return { value, expiresIn: String(lifetime) };
}

/** Consumes a token: it is deleted regardless of the result. Undefined if it is unknown, of another kind or expired. */
export async function consumeOneTimeToken(
  tx: Transaction,
  kind: OneTimeTokenKind,
  value: string,
  clock: Clock,
): Promise<OneTimeToken | undefined> {
  const token = await tx.tickets.get(hashSecret(value));
  if (!token || token.kind !== kind) return undefined;
  await tx.tickets.delete(token.ticketHash);
  return token.expiresAt > epochSeconds(clock) ? token : undefined;
}

/** @param clientId only those that were issued to this client */
export async function revokeOneTimeTokens(tx: Transaction, userId: string, clientId?: string): Promise<void> {
  for (const ticket of await tx.tickets.find('userId', userId))
    if (clientId === undefined || ticket.clientId === clientId) await tx.tickets.delete(ticket.ticketHash);
}
