/** Formats a plan as text and as JSON. */
import { isAdministrativeRole } from '../../contract/roles.ts';
import { escapeControls } from '../io/control-characters.ts';
import { type EntityNames, formatNamedId, nameKey } from '../output/name-columns.ts';
import { administrativeRoles } from './guards.ts';
import type { AnyChange, FieldChange } from './model/changes.ts';
import { memberFields, memberKinds } from './model/members.ts';
import type { Plan } from './plan.ts';
import { getKindLabel } from './resources/index.ts';
import type { RoleEffect } from './role-effects.ts';

export interface TextStyle {
  /** Wrap width in columns. */
  readonly width: number;
  /** Maximum number of list entries and of role effects to show. */
  readonly maxEntries: number;
  /** Names of users and businesses, which are shown behind their ids. */
  readonly names?: EntityNames;
}

const marks = { create: '+', update: '~', delete: '-' } as const;

/** Formats only the changes. */
export function formatChanges(changes: readonly AnyChange[], style: TextStyle): string[] {
  return changes.flatMap(({ action, kind, name, fields }) => [
    `${marks[action]} ${getKindLabel(kind)} ${escapeControls(name)}`,
    ...formatFieldChanges(action === 'delete' ? [] : fields, style),
  ]);
}

/** Formats the fields of a change, one per line, wrapped at the width. */
export function formatFieldChanges(fields: readonly FieldChange[], style: TextStyle): string[] {
  const widest = Math.max(0, ...fields.map(({ field }) => field.length));
  return fields.flatMap((change) => {
    const head = `    ${change.field.padEnd(widest)}  `;
    const { added = [], removed = [] } = change;
    if (added.length + removed.length === 0) return [`${head}${formatValueChange(change)}`];
    return wrapWords(
      head,
      [...formatMembers('+', change.field, added, style), ...formatMembers('-', change.field, removed, style)],
      style.width,
    );
  });
}

function formatValueChange({ before, after }: FieldChange): string {
  const shown = (value: unknown) => (value === undefined ? '(none)' : escapeControls(String(value)));
  return before === undefined ? shown(after) : `${shown(before)} -> ${shown(after)}`;
}

/** The kind of members that a field of a change lists. */
const kindByField = new Map(memberKinds.map((kind) => [memberFields[kind], kind]));

/** The ids of users and businesses in an entry of a field: `b9/u1` is a user on behalf of a business. */
function idsInEntry(field: string, entry: string): readonly NamedId[] {
  const kind = kindByField.get(field);
  if (kind === 'user' || kind === 'business') return [{ entity: kind, id: entry }];
  const [businessId = '', userId = ''] = entry.split('/');
  if (kind !== 'businessUser') return [];
  return [
    { entity: 'business', id: businessId },
    { entity: 'user', id: userId },
  ];
}

interface NamedId {
  readonly entity: 'user' | 'business';
  readonly id: string;
}

function formatId({ entity, id }: NamedId, { names }: TextStyle): string {
  return formatNamedId(id, names?.get(nameKey(entity, id)));
}

function formatMembers(sign: string, field: string, entries: readonly string[], style: TextStyle): string[] {
  const format = (entry: string) => {
    const ids = idsInEntry(field, entry);
    return ids.length === 0 ? entry : ids.map((id) => formatId(id, style)).join('/');
  };
  return formatSigned(sign, entries, style.maxEntries, format);
}

/** A user, business or service, with its name: `user u1 (anna)`. */
function formatSubject(kind: string, id: string, style: TextStyle): string {
  const named = kind === 'user' || kind === 'business' ? formatId({ entity: kind, id }, style) : id;
  return `${kind} ${escapeControls(named)}`;
}

/** The ids of users and businesses that a formatted plan shows. */
export function listShownIds({ changes, roles }: Pick<Plan, 'changes' | 'roles'>, { maxEntries }: TextStyle): string[] {
  const entries = changes.flatMap(({ action, fields }) =>
    (action === 'delete' ? [] : fields).flatMap(({ field, added = [], removed = [] }) =>
      [...added.slice(0, maxEntries), ...removed.slice(0, maxEntries)].flatMap((entry) => idsInEntry(field, entry)),
    ),
  );
  const subjects = roles.slice(0, maxEntries).filter(({ kind }) => kind !== 'service');
  return [...new Set([...entries, ...subjects].map(({ id }) => id))];
}

function formatSigned(
  sign: string,
  entries: readonly string[],
  maxEntries: number,
  format: (entry: string) => string = (entry) => entry,
): string[] {
  const shown = entries.slice(0, maxEntries).map((entry) => `${sign} ${escapeControls(format(entry))}`);
  return entries.length > maxEntries ? [...shown, `${sign} ${entries.length - maxEntries} more`] : shown;
}

/** Wraps words at the width; continuation lines are indented like the first. */
function wrapWords(head: string, words: readonly string[], width: number): string[] {
  const lines = [head];
  for (const word of words) {
    const line = lines.at(-1) ?? '';
    const isStart = line.length === head.length;
    if (isStart) lines[lines.length - 1] = line + word;
    else if (line.length + 2 + word.length > width) lines.push(' '.repeat(head.length) + word);
    else lines[lines.length - 1] = `${line}  ${word}`;
  }
  return lines;
}

/** Formats the whole plan: changes, role effects, warnings and summary. */
export function formatPlan(plan: Plan, style: TextStyle): string[] {
  const { changes, roles } = plan;
  if (changes.length === 0) return [...listWarnings(plan), 'No changes. The server matches the documents.'];
  return [
    ...formatChanges(changes, style),
    ...(roles.length === 0 ? [] : ['', 'Effective roles:', ...formatRoleEffects(roles, style)]),
    ...listWarnings(plan).flatMap((warning) => ['', `! ${warning}`]),
    '',
    formatSummary(plan),
  ];
}

function formatRoleEffects(roles: readonly RoleEffect[], style: TextStyle): string[] {
  const shown = roles.slice(0, style.maxEntries);
  const names = shown.map(({ kind, id }) => formatSubject(kind, id, style));
  const widest = Math.min(40, Math.max(...names.map((name) => name.length)));
  const lines = shown.flatMap(({ gains, loses }, at) => {
    const words = [...formatSigned('+', gains, style.maxEntries), ...formatSigned('-', loses, style.maxEntries)];
    return wrapWords(`    ${(names[at] ?? '').padEnd(widest)}  `, words, style.width);
  });
  const rest = roles.length - shown.length;
  return rest > 0 ? [...lines, `    and ${rest} more; use -o wide to show all`] : lines;
}

/** Returns the warnings to show before the plan is applied. */
export function listWarnings({ guards, orphans, roles }: Plan): string[] {
  const { callerLoses, lastAdministrator, administratorsLose } = guards;
  const gaining = listGainingAdministrators({ roles });
  const names = orphans.slice(0, 10).map(({ kind, name }) => `${getKindLabel(kind)} ${escapeControls(name)}`);
  return [
    ...(callerLoses.length > 0 ? [`You would lose ${callerLoses.join(' and ')}.`] : []),
    ...(lastAdministrator ? ['No user would be able to administer the service.'] : []),
    ...(administratorsLose.length > 0 && callerLoses.length === 0
      ? [`${formatNames(administratorsLose)} would lose ${administrativeRoles.join(' or ')}.`]
      : []),
    ...(gaining.length > 0 ? [`${formatNames(gaining)} would gain administrative roles.`] : []),
    ...(orphans.length > 0
      ? [
          `Created by earlier applies of this set and no longer in the documents: ${names.join(', ')}${orphans.length > 10 ? ' and more' : ''}. Delete them with --prune.`,
        ]
      : []),
  ];
}

/** Those who gain ADMIN or an IAM_ADMIN role: a list of effects shows only the first ones. */
export function listGainingAdministrators({ roles }: Pick<Plan, 'roles'>): string[] {
  return roles.filter(({ gains }) => gains.some(isAdministrativeRole)).map(({ kind, id }) => `${kind} ${id}`);
}

function formatNames(names: readonly string[]): string {
  const shown = names.slice(0, 5).map(escapeControls).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

export interface PlanSummary {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
  /** Number of users, businesses and services that gain or lose roles. */
  readonly gain: number;
  readonly lose: number;
}

/** Counts changes and role effects. */
export function summarize({ changes, roles }: Pick<Plan, 'changes' | 'roles'>): PlanSummary {
  const count = (action: string) => changes.filter((change) => change.action === action).length;
  return {
    create: count('create'),
    update: count('update'),
    delete: count('delete'),
    gain: roles.filter(({ gains }) => gains.length > 0).length,
    lose: roles.filter(({ loses }) => loses.length > 0).length,
  };
}

/** `Plan: 2 to create, 1 to change, none to delete; 3 gain roles, 1 loses roles.` */
export function formatSummary(plan: Plan): string {
  const { create, update, delete: deleted, gain, lose } = summarize(plan);
  const formatCount = (count: number) => (count === 0 ? 'none' : String(count));
  const roles = `${formatCount(gain)} gain${gain === 1 ? 's' : ''} roles, ${formatCount(lose)} lose${lose === 1 ? 's' : ''} roles`;
  return `Plan: ${formatCount(create)} to create, ${formatCount(update)} to change, ${formatCount(deleted)} to delete; ${roles}.`;
}

export function toPlanJson(plan: Plan): Readonly<Record<string, unknown>> {
  return {
    ...(plan.set === undefined ? {} : { set: plan.set }),
    changes: plan.changes.map(toChangeJson),
    roles: plan.roles,
    warnings: listWarnings(plan),
    summary: summarize(plan),
  };
}

/** Returns a change as JSON, without the fields that only the execution needs. */
export function toChangeJson({ action, kind, name, id, fields }: AnyChange): Readonly<Record<string, unknown>> {
  return { action, kind, name, ...(id === undefined ? {} : { id }), fields };
}
