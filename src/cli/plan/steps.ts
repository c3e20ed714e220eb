/** Orders the writes of a plan, and executes them. Steps are idempotent, so an interrupted apply can be run again. */
import { UnknownOutcomeError } from '../errors.ts';
import { requestsAtOnce, runConcurrently } from '../http/run-concurrently.ts';
import { escapeControls } from '../io/control-characters.ts';
import { createErrorReport } from '../output/error-report.ts';
import { formatRotateCommand } from '../output/rotate-commands.ts';
import type { Execution } from './execution.ts';
import { formatChanges, formatNamedMember, idsOfMembers, type TextStyle } from './format-plan.ts';
import type { AnyChange, MembershipStep, Step } from './model/changes.ts';
import type { Member } from './model/members.ts';
import type { PlanCaller, RemoteState } from './model/remote-state.ts';
import type { Stage, Writable } from './resource.ts';
import { writables } from './resources/index.ts';

/** Creates resources before their dependents, adds members after their groups, and deletes last in reverse order. Pure. */
export function buildStages(changes: readonly AnyChange[], state: RemoteState, caller: PlanCaller): Stage[] {
  const phases = writables.map((writable) => writable.order(changes, { state, caller }));
  const stages: Stage[] = [
    ...phases.flatMap(({ write = [] }) => write),
    ...phases.flatMap(({ revoke = [] }) => revoke),
    ...[...phases].reverse().flatMap(({ remove = [] }) => remove),
    ...phases.flatMap(({ last = [] }) => last),
  ];
  return stages.filter(({ length }) => length > 0);
}

const writers: ReadonlyMap<string, Writable> = new Map(writables.map((writable) => [writable.kind, writable]));

/**
 * Executes the stages in turn, several steps of a stage at once, and prints each on standard error. After an error or an
 * interrupt no further step starts, and those in progress are completed.
 * @throws the first error; of several, one of an unknown outcome, as it needs a look
 */
export async function executeStages(
  execution: Execution,
  stages: readonly Stage[],
  interrupted: AbortSignal,
  style: TextStyle,
): Promise<void> {
  const failures: StepFailure[] = [];
  const isOver = () => failures.length > 0 || interrupted.aborted;
  const executeOne = async (step: Step) => {
    try {
      await writers.get(step.kind)?.write(execution, step);
      execution.context.notice(formatStepTitle(step, style));
    } catch (error) {
      failures.push({ step, error });
    }
  };
  for (const stage of stages) {
    interrupted.throwIfAborted();
    for await (const _ of runConcurrently(stage.values(), requestsAtOnce, executeOne, isOver));
    reportFailures(execution, failures, style);
  }
}

interface StepFailure {
  readonly step: Step;
  readonly error: unknown;
}

/** Prints what the error of the command does not say. @throws the error of the command, if a step failed */
function reportFailures({ context }: Execution, failures: readonly StepFailure[], style: TextStyle): void {
  const main = failures.find(({ error }) => error instanceof UnknownOutcomeError) ?? failures[0];
  for (const { step, error } of failures) {
    const title = formatStepTitle(step, style);
    if (error instanceof UnknownOutcomeError)
      context.notice(
        `? ${title}: the outcome is not known. Apply again: it is read first.`,
        ...describeLostSecret(step),
      );
    else if (error !== main?.error) context.notice(`! ${title}: ${createErrorReport(error, context.manifest).message}`);
  }
  if (main) throw main.error;
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
export function listStepIds(stages: readonly Stage[]): string[] {
  return stages.flat().flatMap((step) => {
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
