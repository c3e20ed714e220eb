/**
 * Growth limit: bounds how much unauthenticated callers may create in one hour, counted per network, and thereby how
 * fast they can grow the store. A creation is a request that inserts rows. Inserting operations are not listed; the
 * transactions of the request are observed instead.
 */
import { retryLater } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { isClientItself, type Principal } from '../directory/principal.ts';
import type { Clock } from '../lib/clock.ts';
import type { RequestSource } from '../lib/request-source.ts';
import type { Store, TableWriter, Transaction } from '../store/store.ts';
import type { TableName } from '../store/tables.ts';

export interface GrowthLimit {
  /**
   * Counts one creation for this source. @returns a function that undoes the count, for a request that created nothing.
   * @throws IamError GROWTH_LIMIT with Retry-After.
   */
  reserve(source: RequestSource): () => void;
  /** Resets all counts, after the counted rows were deleted. */
  clear(): void;
}

interface Window {
  readonly startedAt: number;
  count: number;
}

const hourMs = 3600_000;
/** Sources counted individually; any others share one counter, so that none is evicted within its window. */
const defaultCapacity = 100_000;

/** No limit: counts nothing. */
export const noGrowthLimit: GrowthLimit = { reserve: () => () => undefined, clear: () => undefined };

/** The window of a source starts with its first creation and lasts one hour. */
export function createGrowthLimit(clock: Clock, limit: number, capacity = defaultCapacity): GrowthLimit {
  // Ordered by start, so that expired windows come first.
  const windows = new Map<string, Window>();
  let shared: Window | undefined;
  const isExpired = ({ startedAt }: Window, now: number) => now < startedAt || now >= startedAt + hourMs;

  function dropExpired(now: number): void {
    for (const [network, window] of windows) {
      if (!isExpired(window, now)) return;
      windows.delete(network);
    }
  }

  function findOrCreateWindow(network: string, now: number): Window {
    const existing = windows.get(network);
    if (existing && !isExpired(existing, now)) return existing;
    windows.delete(network);
    const fresh = { startedAt: now, count: 0 };
    if (windows.size < capacity) {
      windows.set(network, fresh);
      return fresh;
    }
    shared = shared && !isExpired(shared, now) ? shared : fresh;
    return shared;
  }

  return {
    reserve({ network }) {
      const now = clock.now().getTime();
      dropExpired(now);
      const window = findOrCreateWindow(network, now);
      if (window.count >= limit) throw createLimitError(window.startedAt + hourMs - now);
      window.count += 1;
      return () => {
        window.count -= 1;
        if (window.count === 0 && windows.get(network) === window) windows.delete(network);
      };
    },
    clear() {
      windows.clear();
      shared = undefined;
    },
  };
}

function createLimitError(milliseconds: number) {
  return retryLater('GROWTH_LIMIT', Math.ceil(milliseconds / 1000));
}

/** A request whose transactions are subject to the limit. */
export interface LimitedRequest {
  readonly store: Store;
  /** Lifts the limit for the rest of the request, after its client has authenticated. */
  exempt(): void;
  /** Undoes the count if the request created nothing. */
  end(): void;
}

interface Deps {
  readonly store: Store;
  readonly growthLimit: GrowthLimit;
}

interface RequestOrigin {
  readonly caller: Principal | undefined;
  readonly source: RequestSource;
}

/** Applies the limit to a request. Undefined if none applies: loopback addresses and authenticated callers. */
export function limitGrowth(
  { store, growthLimit }: Deps,
  operation: Pick<Operation, 'auth'>,
  { caller, source }: RequestOrigin,
): LimitedRequest | undefined {
  if (source.isLoopback || hasAuthenticated(operation, caller)) return undefined;
  return createLimitedRequest(store, source, growthLimit);
}

/**
 * A user token does not authenticate its client, and anyone can obtain one by signing up. It therefore counts as
 * authentication only for operations that require more than a client id.
 */
function hasAuthenticated({ auth }: Pick<Operation, 'auth'>, caller: Principal | undefined): boolean {
  if (!caller || caller.authMethod === 'client-id') return false;
  return isClientItself(caller) || (auth === 'caller' && caller.roles.has('AUTH-BASIC'));
}

/**
 * The store for a limited request. The first transaction reserves the creation, so an admitted request can finish:
 * reaching the limit between two of its transactions does not leave it half done.
 */
function createLimitedRequest(store: Store, source: RequestSource, limit: GrowthLimit): LimitedRequest {
  let isExempt = false;
  let hasCreated = false;
  let release: (() => void) | undefined;

  async function transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    if (isExempt) return store.transaction(work);
    release ??= limit.reserve(source);
    let inserts = 0;
    const result = await store.transaction((tx) => {
      // The engine may retry the work.
      inserts = 0;
      return work(
        withInsertHook(tx, () => {
          inserts += 1;
        }),
      );
    });
    hasCreated ||= inserts > 0;
    return result;
  }

  return {
    store: Object.assign(Object.create(store) as Store, { transaction }),
    exempt() {
      isExempt = true;
    },
    end() {
      if (!hasCreated) release?.();
    },
  };
}

/** Wraps a transaction and reports each inserted row. */
function withInsertHook(tx: Transaction, onInsert: () => void): Transaction {
  return new Proxy(tx, {
    get(target, name) {
      const table = target[name as TableName] as TableWriter<TableName>;
      const insert = (row: Parameters<typeof table.insert>[0]) => {
        onInsert();
        return table.insert(row);
      };
      return Object.assign(Object.create(table) as typeof table, { insert });
    },
  });
}
