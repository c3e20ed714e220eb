/** The state of an apply that its step writers share. */
import type { RequestContext } from '../context.ts';
import { CliError } from '../errors.ts';
import type { ManagedResource } from './inventory.ts';
import type { RemoteState } from './model/remote-state.ts';

/** A created secret and its owner. */
export interface NewSecret {
  readonly kind: 'client' | 'apiKey';
  readonly [field: string]: string;
}

export interface Execution {
  readonly context: RequestContext;
  readonly state: RemoteState;
  /** Ids of groups by name and of clients by service account, including those created by this run. */
  readonly groupIds: Map<string, string>;
  readonly clientIds: Map<string, string>;
  /** Ids of the businesses that this run created without a chosen id, by name. */
  readonly businessIds: Map<string, string>;
  /** Stores a secret as soon as it is created. */
  storeSecret(secret: NewSecret): Promise<void>;
  /** Records created (`made`) and deleted (`gone`) resources of the set. */
  record(what: 'made' | 'gone', ...resources: readonly ManagedResource[]): Promise<void>;
}

/** Creates an execution with the ids of existing resources. */
export function createExecution(
  context: RequestContext,
  state: RemoteState,
  callbacks: Pick<Execution, 'storeSecret' | 'record'>,
): Execution {
  const clients = (state.clients ?? []).flatMap(({ clientId, serviceAccountId }) =>
    serviceAccountId === undefined ? [] : [[serviceAccountId, clientId] as const],
  );
  const groupIds = new Map([...(state.groups ?? [])].map(([name, { groupId }]) => [name, groupId]));
  return { context, state, groupIds, clientIds: new Map(clients), businessIds: new Map(), ...callbacks };
}

/** Creates the error for a resource that has changed since the plan. */
export function createStaleError(message: string): CliError {
  return new CliError(`${message}; it was changed since the plan was created.`, {
    code: 'CHANGED_MEANWHILE',
    exitCode: 6,
    hint: 'Run the command again; completed steps are not repeated.',
  });
}
