/** What the operations on API keys share. */
import { fault } from '../../contract/errors.ts';
import type { Randomness } from '../randomness.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Client } from '../store/tables.ts';
import { ownAuthorities } from './clients.ts';
import type { Principal } from './principal.ts';
import { hashSecret } from './secrets.ts';

/** A new key: base64 of 32 random bytes. */
export function newApiKey(randomness: Randomness): string {
  return randomness.bytes(32).toString('base64');
}

/** What is kept of a key: its hash, and enough of its end to tell keys apart (the last character is always `=`). */
export function keptOf(apiKey: string): { keyHash: string; hint: string } {
  return { keyHash: hashSecret(apiKey), hint: apiKey.slice(-5, -1) };
}

/**
 * The client that a key is to open. A key gives whoever has it all authorities of its client, so the caller must hold
 * each of them. @throws IamError CLIENT_NOT_FOUND, GRANT_EXCEEDED.
 */
export async function requireGrantableClient(reader: Reader, clientId: string, caller: Principal): Promise<Client> {
  const client = await reader.clients.get(clientId);
  if (!client) throw fault('CLIENT_NOT_FOUND');
  const lacking = [...(await ownAuthorities(reader, client))].filter((role) => !caller.roles.has(role));
  if (lacking.length === 0) return client;
  throw fault('GRANT_EXCEEDED', `The client has authorities that the caller lacks: ${lacking.sort().join(', ')}.`);
}

/** @throws IamError API_KEY_TAKEN where another key has the same value. */
export async function requireFreeKey(tx: Transaction, keyHash: string, apiKeyId: string): Promise<void> {
  const twin = await tx.apiKeys.getBy('keyHash', keyHash);
  if (twin && twin.apiKeyId !== apiKeyId) throw fault('API_KEY_TAKEN');
}
