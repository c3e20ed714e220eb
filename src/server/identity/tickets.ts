/** Values that are good for one use within a short time. The store keeps their hashes only. */

import type { Clock } from '../clock.ts';
import { epochSeconds } from '../clock.ts';
import { newSecret, type Randomness } from '../randomness.ts';
import type { Transaction } from '../store/store.ts';
import type { Ticket } from '../store/tables.ts';
import { clearExpired } from './clear-expired.ts';
import { hashSecret } from './secrets.ts';

interface Tools {
  readonly clock: Clock;
  readonly randomness: Randomness;
}

type TicketKind = Ticket['kind'];

/** Seconds that each kind is good for. */
export const ticketLifetimes: Readonly<Record<TicketKind, number>> = {
  param: 60,
  'certificate-nonce': 120,
  'auth-smart': 300,
};

/** A new value of 256 random bits, bound to what is said of it. */
export async function giveTicket(
  tx: Transaction,
  ticket: Omit<Ticket, 'ticketHash' | 'expiresAt'>,
  { clock, randomness }: Tools,
): Promise<{ readonly value: string; readonly expiresIn: string }> {
  const value = newSecret(randomness);
  const ticketHash = hashSecret(value);
  const now = epochSeconds(clock);
  await clearExpired(tx.tickets, (row) => row.ticketHash, now, ticketHash);
  const lifetime = ticketLifetimes[ticket.kind];
  await tx.tickets.insert({ ...ticket, ticketHash, expiresAt: now + lifetime });
  return { value, expiresIn: String(lifetime) };
}

/** Takes a value: it is gone, whatever comes of it. Undefined where it is none of this kind, or over. */
export async function takeTicket(
  tx: Transaction,
  kind: TicketKind,
  value: string,
  clock: Clock,
): Promise<Ticket | undefined> {
  const ticket = await tx.tickets.get(hashSecret(value));
  if (!ticket || ticket.kind !== kind) return undefined;
  await tx.tickets.delete(ticket.ticketHash);
  return ticket.expiresAt > epochSeconds(clock) ? ticket : undefined;
}

/** Voids the tickets of a user. */
export async function voidTickets(tx: Transaction, userId: string): Promise<void> {
  for (const { ticketHash } of await tx.tickets.find('userId', userId)) await tx.tickets.delete(ticketHash);
}
