/**
 * Records when API keys were last used. Uses are collected in memory and written to the store in batches, because one
 * write per read would make reads as expensive as writes. A crash loses at most the uses since the last flush.
 */
import type { Store } from '../store/store.ts';

export interface ApiKeyUses {
  record(apiKeyId: string, at: Date): void;
  /** The last recorded use that is not yet written. */
  findPending(apiKeyId: string): Date | undefined;
  /** Writes the recorded uses. If the write fails, they remain recorded. */
  flush(store: Store): Promise<void>;
  /** Discards the recorded uses, for keys that were deleted or restored to an earlier state. */
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
          const lastUsedAt = at.toISOString();
          // Another server that shares the store may have written a later use.
          const isLater = !store.shared || (row?.lastUsedAt ?? '') < lastUsedAt;
          if (row && isLater) await tx.apiKeys.replace({ ...row, lastUsedAt });
        }
      });
      for (const [apiKeyId, at] of written) if (uses.get(apiKeyId) === at) uses.delete(apiKeyId);
    },
  };
}
