/**
 * Ties the files of a store together. A store has a random id, which its marker, checkpoints and log segments contain. A
 * commit contains the hash of the commit before it, a segment that of the last commit before it, and a checkpoint that of
 * its own last commit; the first commit of a store follows the id. So a file of another store shows by its id, and a file
 * of a copy with different later commits by a hash. Neither protects against intent: anyone can compute both.
 */
import { hash } from 'node:crypto';
import type { Random } from '../../lib/random.ts';
import { StoreOpenError } from '../open-error.ts';

/** 64 bits, in hexadecimal digits: enough that accidents never match. */
const HASH_BYTES = 8;

/** The id of a store, and the hash of the last commit of one of its files. */
export interface Chain {
  readonly storeId: string;
  readonly lastHash: string;
}

export function startChain(random: Random): Chain {
  const storeId = random.bytes(HASH_BYTES).toString('hex');
  return { storeId, lastHash: storeId };
}

/** Hashes a commit: its line in the log, without the newline. */
export function hashCommit(line: string | Buffer): string {
  return toHash(hash('sha256', line, 'hex'));
}

/** The hash of a commit from the SHA-256 of its line, in hexadecimal digits. */
export function toHash(digest: string): string {
  return digest.slice(0, 2 * HASH_BYTES);
}

/** @throws StoreOpenError 'foreign' if a file does not have the id of the store, which `marker` contains. */
export function assertOwnFile(file: string, id: string | undefined, marker: string, storeId: string | undefined): void {
  if (id === storeId) return;
  const found = id === undefined ? 'it has no store id, as a backup' : `it belongs to the store ${id}`;
  throw createForeignError(file, `${found}, but ${marker} is of ${storeId}`);
}

/** Creates the error for a file that does not belong to the other files of the store, or does not continue them. */
export function createForeignError(file: string, what: string, offset?: number): StoreOpenError {
  const message = `${file}: ${what}. Nothing was changed. Put all files of one store back, or restore a backup with "iam store restore".`;
  return new StoreOpenError('foreign', message, { file, offset, what });
}
