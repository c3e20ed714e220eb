/** Carries out the steps of a plan, one after the other. What was done already is passed over, so it can be run again. */

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

/** A secret that was made, and what it is of. */
export interface NewSecret {
  readonly kind: 'client' | 'apiKey';
  readonly [field: string]: string;
}

export interface Execution {
  readonly deps: PlanDeps;
  readonly state: RemoteState;
  /** Ids of groups and of clients by service account, those made on the way included. */
  readonly groupIds: Map<string, string>;
  readonly clientIds: Map<string, string>;
  /** Keeps a secret as soon as it is there. */
  storeSecret(secret: NewSecret): Promise<void>;
  /** Remembers what was made, or that it is gone. */
  record(what: 'made' | 'gone', ...things: readonly ManagedResource[]): Promise<void>;
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

/** An execution that knows the ids of what is there. */
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

/** Does all steps, and says each on standard error. Ends at the first that fails. */
export async function executeSteps(execution: Execution, steps: readonly Step[]): Promise<void> {
  const { context } = execution.deps;
  for (const step of steps) {
    context.io.signal.throwIfAborted();
    await (writers[step.kind] as StepWriter<typeof step.kind>)(execution, step as never);
    context.notice(formatStepTitle(step));
  }
}

/** What a step does, in a line. */
export function formatStepTitle(step: Step): string {
  if (step.kind === 'join')
    return `+ ${escapeControls(step.group)}: ${step.members.length} ${step.members[0]?.kind ?? ''}${step.members.length === 1 ? '' : 's'}`;
  if (step.kind === 'leave') return `- ${escapeControls(step.group)}: ${step.member.kind} ${step.member.id}`;
  const { action, kind, name } = step.change;
  const mark = { create: '+', update: '~', delete: '-' }[action];
  return `${mark} ${kindLabels[kind]} ${escapeControls(name)}${'release' in step && step.release ? ' (takes away first)' : ''}`;
}

/** What was planned does not fit what is there now. */
export function createStaleError({ failure }: PlanDeps, message: string): Error {
  return failure(`${message}; it was changed since the plan was made.`, {
    code: 'CHANGED_MEANWHILE',
    exitCode: 6,
    hint: 'Run it again: what was done already is not done twice.',
  });
}

/** The body of an answer that must not be a refusal, or nothing where it is one of these. */
export function unwrapResult(
  { body, code, failure }: { readonly body: unknown; readonly code?: string | undefined; readonly failure?: unknown },
  ...tolerated: readonly string[]
): Readonly<Record<string, unknown>> | undefined {
  if (code === undefined) return (body ?? {}) as Readonly<Record<string, unknown>>;
  if (tolerated.includes(code)) return undefined;
  throw failure;
}
