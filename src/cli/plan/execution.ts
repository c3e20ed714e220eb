/** The state of an apply that its step writers share. */
import type { RequestContext } from '../context.ts';
import { CliError, UnknownOutcomeError } from '../errors.ts';
import type { InventoryEntry, PendingCreation } from './inventory.ts';
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
  /** Appends to the record of the set. */
  record(...entries: readonly InventoryEntry[]): Promise<void>;
}

/** A request that creates resources. */
interface Creation<Created> {
  readonly resources: readonly PendingCreation[];
  send(): Promise<Created>;
  /** Returns the ids of the created resources. */
  idsOf(created: Created): readonly string[];
  /** Stores what cannot be read again. */
  storeSecret?(created: Created): Promise<void>;
}

/**
 * Records what a request is about to create, sends it, and records what it created. Without a known outcome the
 * record keeps the intent, so that the next apply looks for what was created.
 */
export async function recordCreation<Created>(
  { record }: Pick<Execution, 'record'>,
  { resources, send, idsOf, storeSecret }: Creation<Created>,
): Promise<Created> {
  await record(...resources.map((resource) => ({ what: 'pending', ...resource }) as const));
  const created = await send().catch(async (error: unknown) => {
    // Any other failure says that nothing took effect. If it cannot be recorded, the next apply finds nothing.
    if (!(error instanceof UnknownOutcomeError))
      await record(...resources.map(({ kind, key }) => ({ what: 'dropped', kind, key }) as const)).catch(
        () => undefined,
      );
    throw error;
  });
  const ids = idsOf(created);
  try {
    await record(
      ...resources.map(
        ({ kind, key, name, groupName }, at) =>
          ({ what: 'made', kind, id: ids[at] ?? key, name, groupName, key }) as const,
      ),
    );
  } finally {
    await storeSecret?.(created);
  }
  return created;
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
