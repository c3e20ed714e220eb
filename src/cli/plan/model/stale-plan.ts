/** The error for a stale plan: what the server had when the plan was made, and what it has now. */
import { CliError } from '../../errors.ts';
import { escapeControls } from '../../io/control-characters.ts';
import { formatFieldChanges, formatSubject, type TextStyle } from '../format-plan.ts';
import { getKindLabel } from '../resources/index.ts';
import type { FieldChange } from './changes.ts';
import { comparePlanBases, type PlanBasis, type PlanDifference, type StateDifference } from './plan-basis.ts';

const maxLines = 30;

/** Creates the error. `remedy` says how to make a new plan. */
export function createStalePlanError(earlier: PlanBasis, now: PlanBasis, style: TextStyle, remedy: string): CliError {
  const difference = comparePlanBases(earlier, now);
  const lines = formatDifference(difference, style);
  const rest = lines.length > maxLines ? [`and ${lines.length - maxLines} more lines; use -o json to show all`] : [];
  return new CliError('The plan is stale: what it was made from has changed. Nothing was changed.', {
    code: 'PLAN_STALE',
    exitCode: 6,
    lines: [...lines.slice(0, maxLines), ...rest].map((line) => `  ${line}`),
    details: { ...difference },
    hint: remedy,
  });
}

function formatDifference(difference: PlanDifference, style: TextStyle): string[] {
  const { resources, appeared, vanished, roles, administrators } = difference;
  return [
    ...withTitle(
      'On the server since then:',
      resources.flatMap((one) => formatState(one, style)),
    ),
    ...withTitle('Planned now, but not then:', appeared.map(formatAction)),
    ...withTitle('Planned then, but not now:', vanished.map(formatAction)),
    ...withTitle(
      'Effective roles that the plan would change, now compared with then:',
      roles.flatMap(({ kind, id, fields }) => [
        `~ ${formatSubject(kind, id, style)}`,
        ...formatFieldChanges(fields, style),
      ]),
    ),
    ...(administrators ? ['Other administrators than planned would lose roles.'] : []),
  ];
}

function withTitle(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

function formatState({ action, kind, name, fields }: StateDifference, style: TextStyle): string[] {
  const resource = `${getKindLabel(kind)} ${escapeControls(name)}`;
  if (action === 'create') return [`+ ${resource} was created`];
  if (action === 'delete') return [`- ${resource} was deleted`];
  return [`~ ${resource}`, ...formatFieldChanges(fields.map(showMissing), style)];
}

/** A value that was not set is shown too, because both values matter here. */
function showMissing(change: FieldChange): FieldChange {
  return change.added || change.removed || change.before !== undefined ? change : { ...change, before: '(none)' };
}

function formatAction({ action, kind, name }: PlanDifference['appeared'][number]): string {
  return `${action} ${getKindLabel(kind)} ${escapeControls(name)}`;
}
