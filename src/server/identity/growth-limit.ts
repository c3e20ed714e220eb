/**
 * Growth limit: how much callers that did not authenticate may create in one hour, counted by the network that they
 * call from. It bounds what the store can grow by because of them. A creation is a call that inserts rows; which
 * operations insert is not listed anywhere: the transactions of the call show it.
 */
import { retryLater } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Clock } from '../clock.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Store, TableWriter, Transaction } from '../store/store.ts';
import type { TableName } from '../store/tables.ts';
import { isClientItself, type Principal } from './principal.ts';

export interface GrowthLimit {
  /**
   * Counts one creation by this source. @returns what takes the count back, for a call that created nothing.
   * @throws IamError GROWTH_LIMIT with Retry-After.
   */
  reserve(source: RequestSource): () => void;
  /** Drops all counts: the rows that they stand for are gone. */
  clear(): void;
}

interface Window {
  readonly startedAt: number;
  count: number;
}

const hourMs = 3600_000;
/** Sources counted one by one; those beyond share one count, so that none is evicted within its window. */
const defaultCapacity = 100_000;

/** Without a limit: nothing is counted. */
export const noGrowthLimit: GrowthLimit = { reserve: () => () => undefined, clear: () => undefined };

/** A window of one hour begins with the first creation of a source. */
export function createGrowthLimit(clock: Clock, limit: number, capacity = defaultCapacity): GrowthLimit {
  // In the order in which windows began, so that those that are over stand first.
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
    const known = windows.get(network);
    if (known && !isExpired(known, now)) return known;
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

/** A call whose transactions are under the limit. */
export interface LimitedCall {
  readonly store: Store;
  /** From now on the call may create as much as it likes: its client has authenticated. */
  exempt(): void;
  /** Takes the count back where the call has created nothing. */
  end(): void;
}

interface Deps {
  readonly store: Store;
  readonly growthLimit: GrowthLimit;
}

interface CallOrigin {
  readonly caller: Principal | undefined;
  readonly source: RequestSource;
}

/** Puts a call under the limit. Undefined where it has none: from a loopback address, or of an authenticated caller. */
export function limitGrowth(
  { store, growthLimit }: Deps,
  operation: Pick<Operation, 'auth'>,
  { caller, source }: CallOrigin,
): LimitedCall | undefined {
  if (source.isLoopback || hasAuthenticated(operation, caller)) return undefined;
  return createLimitedCall(store, source, growthLimit);
}

/**
 * A user's token says nothing of its client, and anybody gets one by signing up; so it counts as authentication only
 * where an operation asks for more than that.
 */
function hasAuthenticated({ auth }: Pick<Operation, 'auth'>, caller: Principal | undefined): boolean {
  if (!caller || caller.authMethod === 'client-id') return false;
  return isClientItself(caller) || (auth === 'caller' && caller.roles.has('AUTH-BASIC'));
}

/**
 * The store for a call under the limit. The first transaction reserves a creation, so a call that is let in can finish:
 * none ends half done because the limit was reached between two of its transactions.
 */
function createLimitedCall(store: Store, source: RequestSource, limit: GrowthLimit): LimitedCall {
  let isExempt = false;
  let hasCreated = false;
  let release: (() => void) | undefined;

  async function transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    if (isExempt) return store.transaction(work);
    release ??= limit.reserve(source);
    let inserts = 0;
    const result = await store.transaction((tx) => {
      // An engine may run the work again.
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

/** The same transaction, which tells of each row that is inserted. */
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
