/** Deletes the hashes of used refresh tokens whose session has ended. */
import type { Random } from '../lib/random.ts';
import { hashSecret } from '../lib/secrets.ts';
import type { Store } from '../store/store.ts';

const pageSize = 500;
/** Pages of one run, so that it stays short beside a large table. */
const maxPages = 20;

/**
 * Checks up to 10,000 rows from a random position on, and then from the start of the table. Not part of ending a session,
 * which would read all its tokens. Ids of sessions never come again, so a check outside the transaction is enough.
 */
export async function deleteUsedTokens(store: Store, random: Random): Promise<void> {
  let after: string | undefined = hashSecret(random.uuid());
  for (let page = 0; page < maxPages; page += 1) {
    const rows = await store.usedRefreshTokens.list({ after, limit: pageSize });
    const sessions = await store.sessions.getMany([...new Set(rows.map(({ sessionId }) => sessionId))]);
    const active = new Set(sessions.map(({ sessionId }) => sessionId));
    const ended = rows.filter(({ sessionId }) => !active.has(sessionId));
    if (ended.length > 0)
      await store.transaction(async (tx) => {
        for (const { tokenHash } of ended) await tx.usedRefreshTokens.delete(tokenHash);
      });
    if (rows.length < pageSize && after === undefined) return;
    after = rows.length < pageSize ? undefined : rows.at(-1)?.tokenHash;
  }
}
