/** Seeded bugs of commits on PostgreSQL. They change the driver, so that the product contains none of them. */
import pg from 'pg';

/** Looks for the mark of a commit without inserting one. */
const look = "select coalesce((select kind from commits where id = $1), 'void') as kind";

interface NamedQuery {
  name?: string;
  text?: string;
  values?: unknown[];
}

/** Milliseconds for which a row that was read is read again as it was. */
const staleTime = 300;

/** The parts of the client that the bugs replace. */
interface PatchedClient {
  on(event: string, listener: unknown): unknown;
  query(first: NamedQuery | string, ...rest: unknown[]): unknown;
}

/** Seeds the bug in all connections. @returns a function that removes it */
export function seedDriverBug(seededBug: string): () => void {
  const client = pg.Client.prototype as unknown as PatchedClient;
  const { on, query } = client;
  switch (seededBug) {
    case 'ignore-notice':
      client.on = function (this: PatchedClient, event, listener) {
        return event === 'notice' ? this : on.call(this, event, listener);
      };
      break;
    case 'skip-void-mark':
      client.query = function (this: PatchedClient, first, ...rest) {
        const isInquiry = typeof first === 'object' && first.name === 'commits.inquire';
        return query.call(this, isInquiry ? { ...first, text: look } : first, ...rest);
      };
      break;
    case 'stale-reads':
      client.query = cacheReads(query);
      break;
    case 'keep-unique-violation':
      client.query = function (this: PatchedClient, ...all) {
        const result = query.apply(this, all);
        if (!(result instanceof Promise)) return result;
        return result.catch((error: { code?: string }) => {
          if (error.code === '23505') error.code = 'XX000';
          throw error;
        });
      };
      break;
  }
  return () => void Object.assign(client, { on, query });
}

/** Reads of single groups return what the same read returned shortly before. */
function cacheReads(query: PatchedClient['query']): PatchedClient['query'] {
  const reads = new Map<string, { readonly result: unknown; readonly until: number }>();
  return function (this: PatchedClient, first, ...rest) {
    if (typeof first !== 'object' || !/^groups[.]get/.test(first.name ?? '')) return query.call(this, first, ...rest);
    const key = `${first.name} ${JSON.stringify(first.values)}`;
    const cached = reads.get(key);
    if (cached && performance.now() < cached.until) return cached.result;
    const result = query.call(this, first, ...rest);
    reads.set(key, { result, until: performance.now() + staleTime });
    return result;
  };
}
