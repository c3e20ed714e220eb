/** Executes the steps of a plan in order. Steps are idempotent, so an interrupted apply can be run again. */

import { escapeControls } from '../io/control-characters.ts';
import type { Execution, StepWriter } from './execution.ts';
import { kindLabels } from './format-plan.ts';
import { businessWriters } from './resources/business.ts';
import { clientWriters } from './resources/client.ts';
import { groupWriters } from './resources/group.ts';
import { memberWriters } from './resources/memberships.ts';
import type { Step } from './steps.ts';

const writers: { readonly [Kind in Step['kind']]: StepWriter<Kind> } = {
  ...businessWriters,
  ...clientWriters,
  ...groupWriters,
  ...memberWriters,
};

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
function formatStepTitle(step: Step): string {
  if (step.kind === 'join')
    return `+ ${escapeControls(step.group)}: ${step.members.length} ${step.members[0]?.kind ?? ''}${step.members.length === 1 ? '' : 's'}`;
  if (step.kind === 'leave') return `- ${escapeControls(step.group)}: ${step.member.kind} ${step.member.id}`;
  const { action, kind, name } = step.change;
  const mark = { create: '+', update: '~', delete: '-' }[action];
  return `${mark} ${kindLabels[kind]} ${escapeControls(name)}${'release' in step && step.release ? ' (removals first)' : ''}`;
}
