/** Orders the writes of a plan, and executes them. Steps are idempotent, so an interrupted apply can be run again. */
import { escapeControls } from '../io/control-characters.ts';
import type { Execution } from './execution.ts';
import type { AnyChange, Step } from './model/changes.ts';
import type { PlanCaller, RemoteState } from './model/remote-state.ts';
import type { Writable } from './resource.ts';
import { getKindLabel, writables } from './resources/index.ts';

/** Creates resources before their dependents, adds members after their groups, and deletes last in reverse order. Pure. */
export function buildSteps(changes: readonly AnyChange[], state: RemoteState, caller: PlanCaller): Step[] {
  const phases = writables.map((writable) => writable.order(changes, { state, caller }));
  return [
    ...phases.flatMap(({ write = [] }) => write),
    ...phases.flatMap(({ revoke = [] }) => revoke),
    ...[...phases].reverse().flatMap(({ remove = [] }) => remove),
    ...phases.flatMap(({ last = [] }) => last),
  ];
}

const writers: ReadonlyMap<string, Writable> = new Map(writables.map((writable) => [writable.kind, writable]));

/** Executes all steps and prints each on standard error. Stops at the first error, and between steps at an interrupt. */
export async function executeSteps(
  execution: Execution,
  steps: readonly Step[],
  interrupted: AbortSignal,
): Promise<void> {
  const { context } = execution;
  for (const step of steps) {
    interrupted.throwIfAborted();
    await writers.get(step.kind)?.write(execution, step);
    context.notice(formatStepTitle(step));
  }
}

/** Describes a step in one line. */
function formatStepTitle(step: Step): string {
  if (step.kind === 'membership' && step.action === 'join')
    return `+ ${escapeControls(step.group)}: ${step.members.length} ${step.members[0]?.kind ?? ''}${step.members.length === 1 ? '' : 's'}`;
  if (step.kind === 'membership') return `- ${escapeControls(step.group)}: ${step.member.kind} ${step.member.id}`;
  const { action, kind, name } = step.change;
  const mark = { create: '+', update: '~', delete: '-' }[action];
  return `${mark} ${getKindLabel(kind)} ${escapeControls(name)}${'release' in step && step.release ? ' (removals first)' : ''}`;
}
