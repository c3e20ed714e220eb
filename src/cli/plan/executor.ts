/** Executes the steps of a plan in order. Steps are idempotent, so an interrupted apply can be run again. */

import { escapeControls } from '../runtime/control-characters.ts';
import { businessWriters } from './business-writes.ts';
import { clientWriters } from './client-writes.ts';
import type { PlanDeps } from './deps.ts';
import { kindLabels } from './format-plan.ts';
import { groupWriters } from './group-writes.ts';
import { memberWriters } from './member-writes.ts';
import type { ManagedResource } from './prune.ts';
import type { RemoteState } from './remote-state.ts';
import type { Step } from './steps.ts';

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

export type StepWriter<Kind extends Step['kind']> = (
  execution: Execution,
  step: Extract<Step, { kind: Kind }>,
) => Promise<void>;

const writers: { readonly [Kind in Step['kind']]: StepWriter<Kind> } = {
  ...businessWriters,
  ...clientWriters,
  ...groupWriters,
  ...memberWriters,
};

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

/** Executes all steps and prints each on standard error. Stops at the first error. */
export async function executeSteps(execution: Execution, steps: readonly Step[]): Promise<void> {
  const { context } = execution.deps;
  for (const step of steps) {
    context.io.signal.throwIfAborted();
    await (writers[step.kind] as StepWriter<typeof step.kind>)(execution, step as never);
    context.notice(formatStepTitle(step));
  }
}

/** Describes a step in one line. */
export function formatStepTitle(step: Step): string {
  if (step.kind === 'join')
    return `+ ${escapeControls(step.group)}: ${step.members.length} ${step.members[0]?.kind ?? ''}${step.members.length === 1 ? '' : 's'}`;
  if (step.kind === 'leave') return `- ${escapeControls(step.group)}: ${step.member.kind} ${step.member.id}`;
  const { action, kind, name } = step.change;
  const mark = { create: '+', update: '~', delete: '-' }[action];
  return `${mark} ${kindLabels[kind]} ${escapeControls(name)}${'release' in step && step.release ? ' (removals first)' : ''}`;
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
