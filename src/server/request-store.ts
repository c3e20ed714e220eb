/** The store of a request: what its operation may write, what guards check of it, and what the audit log records. */
import { canWrite } from '../contract/growth-limit.ts';
import type { Operation } from '../contract/operation.ts';
import type { AppContext } from './app-context.ts';
import { auditedTables } from './audit/changes.ts';
import { resolveChosenIds } from './config/settings.ts';
import { createChosenIdGuard } from './directory/chosen-ids.ts';
import { createAbsentCaller, type Principal } from './directory/principal.ts';
import type { LimitedRequest } from './limits/limited-store.ts';
import { type CommittedChanges, observeCommits } from './store/observe-commits.ts';
import { overrideTransaction } from './store/overrides.ts';
import type { Store } from './store/store.ts';
import { createLengthGuard } from './tokens/length-guard.ts';
import { guardAccounts } from './users/account-guard.ts';

export interface StoreRequest {
  readonly body: unknown;
  readonly caller: Principal | undefined;
  /** If the growth limits apply. */
  readonly limited: LimitedRequest | undefined;
  onCommit(changes: CommittedChanges): void;
}

/** Returns a function that creates the store of each request of an operation. @param guards whether accounts are guarded */
export function createStoreFactory(
  operation: Pick<Operation, 'id' | 'method' | 'writes' | 'request'>,
  appContext: AppContext,
  guards: boolean,
): (request: StoreRequest) => Store {
  if (!canWrite(operation)) {
    const readOnly = denyWrites(appContext.store, operation.id);
    return () => readOnly;
  }
  const absentCaller = createAbsentCaller(operation.id);
  const schema = guards ? operation.request.body : undefined;
  const guardChosenIds = createChosenIdGuard(schema, resolveChosenIds(appContext.settings));
  const guardTokenLengths = createLengthGuard(appContext.issuer);
  return ({ body, caller, limited, onCommit }) => {
    const guarded = guardChosenIds(limited?.store ?? appContext.store, body, caller ?? absentCaller);
    const store = observeCommits(guarded, auditedTables, onCommit);
    return guards ? guardAccounts(guardTokenLengths(store), caller, appContext) : store;
  };
}

/** Growth limits, guards and the audit log do not apply to an operation that declares no writes. */
function denyWrites(store: Store, id: string): Store {
  const transaction: Store['transaction'] = async () => {
    throw new Error(`${id} declares no writes`);
  };
  return overrideTransaction(store, transaction);
}
