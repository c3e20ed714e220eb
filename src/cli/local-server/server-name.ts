/** The name of a background server. Loaded only to start one, as node:crypto takes 5 to 8 ms. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { ServerRecord } from './server-records.ts';

/** Derives the server name from its store. A hash distinguishes folders with the same basename. */
export function serverNameOf({ store, data }: Pick<ServerRecord, 'store' | 'data'>): string {
  if (data === undefined) return store;
  const base = path.basename(data).replaceAll(/[^A-Za-z0-9_-]/g, '') || 'store';
  return `${base.slice(0, 40)}-${createHash('sha256').update(data).digest('hex').slice(0, 8)}`;
}
