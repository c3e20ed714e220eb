/** The name of a background server. Loaded only to start one, as node:crypto takes 5 to 8 ms. */
import { createHash } from 'node:crypto';
import path from 'node:path';

/** Derives the server name from its store folder. A hash distinguishes folders with the same basename. */
export function serverNameOf(data: string | undefined): string {
  if (data === undefined) return 'memory';
  const base = path.basename(data).replaceAll(/[^A-Za-z0-9_-]/g, '') || 'store';
  return `${base.slice(0, 40)}-${createHash('sha256').update(data).digest('hex').slice(0, 8)}`;
}
