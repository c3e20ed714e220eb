/** The store of a request whose creations are limited. Its transactions are observed, so no operation lists its inserts. */
import { overrideTable, overrideTransaction } from '../store/overrides.ts';
import type { Store, TableWriter, Transaction } from '../store/store.ts';
import type { Row, TableName } from '../store/tables.ts';
import { createTablesOnAccess } from '../store/tables-on-access.ts';
import type { Creator, GrowthLimits } from './growth.ts';

export interface LimitedRequest {
  readonly store: Store;
  /** Undoes the count if the request created nothing. */
  end(): void;
}

export interface LimitedRequestOptions {
  readonly store: Store;
  readonly growthLimits: GrowthLimits;
  /** Whether the operation renews sessions: see `GrowthLimits.addRenewal`. */
  readonly renewsSession: boolean;
  /** Called before the first transaction, when the caller has authenticated. @returns undefined if no limit applies. */
  findCreator(): Promise<Creator | undefined>;
}

/**
 * The first transaction reserves the creation, so an admitted request can finish: reaching the limit between two of its
 * transactions does not leave it half done. Operations that renew sessions have one transaction, and reserve it when that
 * inserts what is no renewal.
 */
export function limitRequest(options: LimitedRequestOptions): LimitedRequest {
  const { store, growthLimits, renewsSession } = options;
  let found: Promise<Creator | undefined> | undefined;
  let hasCreated = false;
  let undo: (() => void) | undefined;
  const renewed = new Map<string, boolean>();

  async function isRenewal(tx: Transaction, sessionId: string, { owner }: Creator): Promise<boolean> {
    const session = await tx.sessions.get(sessionId);
    const user = session?.userId === undefined ? (owner ?? `client ${session?.clientId}`) : `user ${session.userId}`;
    const known = renewed.get(sessionId) ?? growthLimits.addRenewal(sessionId, user);
    renewed.set(sessionId, known);
    return known;
  }

  async function transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    found ??= options.findCreator();
    const creator = await found;
    if (creator === undefined) return store.transaction(work);
    if (!renewsSession) undo ??= growthLimits.reserve(creator);
    let creates = false;
    const result = await store.transaction((tx) => {
      // The engine may run the work again.
      creates = false;
      const started = new Set<string>();
      return work(
        observeInserts(tx, async (table, row) => {
          if (table === 'sessions') started.add((row as Row<'sessions'>).sessionId);
          if (isTokenTable(table) && renewsSession) {
            const { sessionId } = row as Row<typeof table>;
            if (!started.has(sessionId) && (await isRenewal(tx, sessionId, creator))) return;
          }
          creates = true;
          undo ??= growthLimits.reserve(creator);
        }),
      );
    });
    hasCreated ||= creates;
    return result;
  }

  return {
    store: overrideTransaction(store, transaction),
    end() {
      if (!hasCreated) undo?.();
    },
  };
}

function observeInserts(tx: Transaction, onInsert: (table: TableName, row: object) => Promise<void>): Transaction {
  return createTablesOnAccess((name) => {
    const table = tx[name] as TableWriter<TableName>;
    const insert = async (row: Parameters<typeof table.insert>[0]) => {
      await onInsert(name, row);
      await table.insert(row);
    };
    return overrideTable(table, { insert });
  });
}

/** A renewal inserts the hash of the used token and the next one. */
function isTokenTable(table: TableName): table is 'refreshTokens' | 'usedRefreshTokens' {
  return table === 'refreshTokens' || table === 'usedRefreshTokens';
}
