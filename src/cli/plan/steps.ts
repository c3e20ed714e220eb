/** Orders the writes of a plan, and executes them. Steps are idempotent, so an interrupted apply can be run again. */
import { UnknownOutcomeError } from '../errors.ts';
import { escapeControls } from '../io/control-characters.ts';
import { formatRotateCommand } from '../output/rotate-commands.ts';
import type { Execution } from './execution.ts';
import { formatChanges, formatNamedMember, idsOfMembers, type TextStyle } from './format-plan.ts';
import type { AnyChange, MembershipStep, Step } from './model/changes.ts';
import type { Member } from './model/members.ts';
import type { PlanCaller, RemoteState } from './model/remote-state.ts';
import type { Writable } from './resource.ts';
import { writables } from './resources/index.ts';

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
  style: TextStyle,
): Promise<void> {
  const { context } = execution;
  for (const step of steps) {
    interrupted.throwIfAborted();
    try {
      await writers.get(step.kind)?.write(execution, step);
    } catch (error) {
      if (error instanceof UnknownOutcomeError)
        context.notice(
          `? ${formatStepTitle(step, style)}: the outcome is not known. Apply again: it is read first.`,
          ...describeLostSecret(step),
        );
      throw error;
    }
    context.notice(formatStepTitle(step, style));
  }
}

/** A creation may have taken effect, and only its response contained the secret. */
function describeLostSecret(step: Step): string[] {
  const command =
    'change' in step && step.change.action === 'create' ? formatRotateCommand(step.kind, 'ID') : undefined;
  return command === undefined ? [] : [`  If it was created, its secret is lost: ${command} replaces it.`];
}

/** The most members that a line names. */
const maxMembers = 5;

/** The ids of users and businesses in the titles of steps. */
export function listStepIds(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => {
    if (step.kind === 'customer') return [step.change.name];
    return step.kind === 'membership' ? idsOfMembers(listMembers(step).slice(0, maxMembers)) : [];
  });
}

function listMembers(step: MembershipStep): readonly Member[] {
  return step.action === 'join' ? step.members : [step.member];
}

/** Describes a step in one line. */
function formatStepTitle(step: Step, style: TextStyle): string {
  if (step.kind === 'membership') {
    const members = listMembers(step);
    const names = members.slice(0, maxMembers).map((member) => formatNamedMember(member, style));
    const rest = members.length > maxMembers ? [`${members.length - maxMembers} more`] : [];
    return `${step.action === 'join' ? '+' : '-'} ${escapeControls(step.group)}: ${[...names, ...rest].join(', ')}`;
  }
  const [line = ''] = formatChanges([{ ...step.change, fields: [] }], style);
  return `${line}${'release' in step && step.release ? ' (removals first)' : ''}`;
}
