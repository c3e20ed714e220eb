/** The state of an apply that its step writers share. */
import type { PlanDeps } from './deps.ts';
import type { ManagedResource } from './inventory.ts';
import type { RemoteState } from './model/remote-state.ts';

/** A created secret and its owner. */
export interface NewSecret {
  readonly kind: 'client' | 'apiKey';
  readonly [field: string]: string;
}

export interface Execution {
  readonly deps: PlanDeps;
  readonly state: RemoteState;
  /** Ids of groups by name and of clients by service account, including those created by this run. */
  readonly groupIds: Map<string, string>;
  readonly clientIds: Map<string, string>;
  /** Stores a secret as soon as it is created. */
  storeSecret(secret: NewSecret): Promise<void>;
  /** Records created (`made`) and deleted (`gone`) resources of the set. */
  record(what: 'made' | 'gone', ...resources: readonly ManagedResource[]): Promise<void>;
}

/** Creates an execution with the ids of existing resources. */
export function createExecution(
  deps: PlanDeps,
  state: RemoteState,
  callbacks: Pick<Execution, 'storeSecret' | 'record'>,
): Execution {
  const clients = (state.clients ?? []).flatMap(({ clientId, serviceAccountId }) =>
    serviceAccountId === undefined ? [] : [[serviceAccountId, clientId] as const],
  );
  const groupIds = new Map([...(state.groups ?? [])].map(([name, { groupId }]) => [name, groupId]));
  return { deps, state, groupIds, clientIds: new Map(clients), ...callbacks };
}

/** Creates the error for a resource that has changed since the plan. */
export function createStaleError({ failure }: PlanDeps, message: string): Error {
  return failure(`${message}; it was changed since the plan was created.`, {
    code: 'CHANGED_MEANWHILE',
    exitCode: 6,
    hint: 'Run the command again; completed steps are not repeated.',
  });
}

/** Returns the response body, or undefined for a tolerated error code. @throws for other errors */
export function unwrapResult(
  { body, code, failure }: { readonly body: unknown; readonly code?: string | undefined; readonly failure?: unknown },
  ...tolerated: readonly string[]
): Readonly<Record<string, unknown>> | undefined {
  if (code === undefined) return (body ?? {}) as Readonly<Record<string, unknown>>;
  if (tolerated.includes(code)) return undefined;
  throw failure;
}
