/**
 * When keys were last used. Uses are noted in memory and written to the store together now and then: a write for every
 * read would make reading as dear as writing. A crash loses at most the notes since the last flush.
 */
import type { Store } from '../store/store.ts';

export interface ApiKeyUses {
  record(apiKeyId: string, at: Date): void;
  /** The last use noted and not yet written. */
  findPending(apiKeyId: string): Date | undefined;
  /** Writes what is noted; what can't be written now stays noted. */
  flush(store: Store): Promise<void>;
  /** Forgets what is noted: it is of keys that are no more, or that are as they were before. */
  clear(): void;
}

export function createApiKeyUses(): ApiKeyUses {
  const uses = new Map<string, Date>();
  return {
    record: (apiKeyId, at) => void uses.set(apiKeyId, at),
    findPending: (apiKeyId) => uses.get(apiKeyId),
    clear: () => uses.clear(),
    async flush(store) {
      const written = new Map(uses);
      if (written.size === 0) return;
      await store.transaction(async (tx) => {
        for (const [apiKeyId, at] of written) {
          const row = await tx.apiKeys.get(apiKeyId);
          if (row) await tx.apiKeys.replace({ ...row, lastUsedAt: at.toISOString() });
        }
      });
      for (const [apiKeyId, at] of written) if (uses.get(apiKeyId) === at) uses.delete(apiKeyId);
    },
  };
}
