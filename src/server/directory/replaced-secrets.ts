/** Rotation of client secrets and API keys: the previous value stays valid beside the new one until the overlap ends. */
import { apiError } from '../../contract/errors.ts';
import { hashSecret, secretMatches } from '../lib/secrets.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { ApiKey, Client } from '../store/tables.ts';

/** How long the previous secret can stay valid, in milliseconds: long enough for a monthly deployment. */
export const maxOverlap = 30 * 24 * 3_600_000;

/** What a rotation replaced. Without `endsAt` it ended at the rotation, whatever the clocks say. */
interface Replaced {
  readonly hash: string;
  readonly endsAt?: string | undefined;
}

/** Whether the previous secret is still valid. An end that no rotation of now can set is of another clock. */
export function isInOverlap<Previous extends Replaced>(
  previous: Previous | undefined,
  now: Date,
): previous is Previous & { readonly endsAt: string } {
  if (previous?.endsAt === undefined) return false;
  const remaining = Date.parse(previous.endsAt) - now.getTime();
  return remaining > 0 && remaining <= maxOverlap;
}

/** Why a secret is accepted or not; `ended`: it was replaced, and is no longer valid. */
type SecretMatch = 'current' | 'previous' | 'ended' | 'none';

/** Compares a secret with both hashes, in constant time: it does the same work for an unknown client. */
export function matchSecret(
  secret: string,
  { current, previous }: { readonly current: string | undefined; readonly previous: Replaced | undefined },
  now: Date,
): SecretMatch {
  const matchesCurrent = secretMatches(secret, current);
  const matchesPrevious = secretMatches(secret, previous?.hash);
  if (matchesCurrent) return 'current';
  if (!matchesPrevious) return 'none';
  return isInOverlap(previous, now) ? 'previous' : 'ended';
}

export function matchClientSecret(secret: string, client: Client | undefined, now: Date): SecretMatch {
  return matchSecret(secret, { current: client?.secretHash, previous: client?.previousSecret }, now);
}

export function isAccepted(match: SecretMatch): boolean {
  return match === 'current' || match === 'previous';
}

export interface RotationRequest {
  /** Milliseconds; 0 ends the replaced secret at once. */
  readonly overlap: number;
  /** Which secret stays valid if two are: the newest one, or the oldest one. */
  readonly keep?: 'newest' | 'oldest' | undefined;
}

/**
 * The previous secret after a rotation. At most two are valid, so a rotation within an overlap ends one of them.
 * @throws IamError OVERLAP_ACTIVE if the request does not say which.
 */
export function replaceSecret<Value extends object>(
  current: Value & Replaced,
  previous: (Value & Replaced) | undefined,
  { overlap, keep }: RotationRequest,
  now: Date,
): Value & Replaced {
  const { endsAt: _, ...replaced } = current;
  if (overlap === 0) return replaced as Value & Replaced;
  const endsAt = new Date(now.getTime() + overlap).toISOString();
  if (!isInOverlap(previous, now)) return { ...current, endsAt };
  if (keep === undefined)
    throw apiError('OVERLAP_ACTIVE', `Two secrets are valid until ${previous.endsAt}; a rotation ends one of them.`);
  return { ...(keep === 'oldest' ? previous : current), endsAt };
}

/** Ends the overlap at once. */
export function withoutOverlap<Row extends Pick<Client, 'previousSecret'> | Pick<ApiKey, 'previousKey'>>(
  row: Row,
): Row {
  if ('previousSecret' in row && row.previousSecret) return { ...row, previousSecret: endOf(row.previousSecret) };
  if ('previousKey' in row && row.previousKey) return { ...row, previousKey: endOf(row.previousKey) };
  return row;
}

function endOf<Previous extends Replaced>({ endsAt: _, ...previous }: Previous): Omit<Previous, 'endsAt'> {
  return previous;
}

/** Ends the overlaps of all clients of a user, of the clients that these own, and of their API keys. */
export async function endOverlapsOfUser(tx: Transaction, userId: string): Promise<void> {
  const seen = new Set<string>();
  const pending = [...(await tx.clients.find('userId', userId))];
  for (let client = pending.pop(); client; client = pending.pop()) {
    if (seen.has(client.clientId)) continue;
    seen.add(client.clientId);
    pending.push(...(await tx.clients.find('ownerClientId', client.clientId)));
    if (client.previousSecret?.endsAt !== undefined) await tx.clients.replace(withoutOverlap(client));
    for (const key of await tx.apiKeys.find('clientId', client.clientId))
      if (key.previousKey?.endsAt !== undefined) await tx.apiKeys.replace(withoutOverlap(key));
  }
}

/** The API key that has this value, or had it before its last rotation. */
export async function findApiKey(
  reader: Pick<Reader, 'apiKeys'>,
  value: string,
  now: Date,
): Promise<{ readonly row: ApiKey | undefined; readonly match: SecretMatch }> {
  const row = await reader.apiKeys.getBy('keyHash', hashSecret(value));
  return { row, match: matchSecret(value, { current: row?.keyHash, previous: row?.previousKey }, now) };
}
