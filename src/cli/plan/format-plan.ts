/** Formats a plan as text and as JSON. */
import { isAdministrativeRole } from '../../contract/roles.ts';
import { singleQuote } from '../../lib/shell-variables.ts';
import { escapeControls } from '../io/control-characters.ts';
import { type EntityNames, formatNamedId, nameKey } from '../output/name-columns.ts';
import { formatRotateCommand } from '../output/rotate-commands.ts';
import { administrativeRoles } from './guards.ts';
import type { ManagedResource } from './inventory.ts';
import type { AnyChange, FieldChange } from './model/changes.ts';
import { type Member, memberFields, memberKinds } from './model/members.ts';
import type { Plan } from './plan.ts';
import type { KeptResource } from './prune.ts';
import { getKindLabel, memberships } from './resources/index.ts';
import { type RoleEffect, splitHolder } from './role-effects.ts';

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
  return changes.flatMap((change) => [
    `${marks[change.action]} ${getKindLabel(change.kind)} ${escapeControls(formatChangeName(change, style))}`,
    ...formatFieldChanges(change.action === 'delete' ? [] : change.fields, style),
  ]);
}

/** The name of a customer is the id of its user or business. */
function formatChangeName(change: AnyChange | ManagedResource, { names }: TextStyle): string {
  const { kind, name } = change;
  if (kind !== 'customer') return name;
  const { businessName } = 'body' in change ? change.body : {};
  const known = names?.get(nameKey('user', name)) ?? names?.get(nameKey('business', name));
  return formatNamedId(name, known ?? (businessName === undefined ? undefined : String(businessName)));
}

/** Formats the fields of a change, one per line, wrapped at the width. */
export function formatFieldChanges(fields: readonly FieldChange[], style: TextStyle): string[] {
  const widest = Math.max(0, ...fields.map(({ field }) => field.length));
  return fields.flatMap((change) => {
    const head = `    ${change.field.padEnd(widest)}  `;
    const { added = [], removed = [] } = change;
    if (added.length + removed.length === 0) return [`${head}${formatValueChange(change, style)}`];
    return wrapWords(
      head,
      [...formatMembers('+', change.field, added, style), ...formatMembers('-', change.field, removed, style)],
      style.width,
    );
  });
}

function formatValueChange({ field, before, after }: FieldChange, style: TextStyle): string {
  const entity = entityByField[field];
  const shown = (value: unknown) => {
    if (value === undefined) return '(none)';
    return escapeControls(entity ? formatId({ entity, id: String(value) }, style) : String(value));
  };
  return before === undefined ? shown(after) : `${shown(before)} -> ${shown(after)}`;
}

/** The fields with the id of a user or a business. */
const entityByField: Readonly<Record<string, NamedId['entity']>> = { userId: 'user', businessId: 'business' };

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
export function formatSubject(kind: string, id: string, style: TextStyle): string {
  const named = kind === 'user' || kind === 'business' ? formatId({ entity: kind, id }, style) : id;
  return `${kind} ${escapeControls(named)}`;
}

/** The member of a membership. */
export function formatNamedMember({ kind, id, businessId }: Member, style: TextStyle): string {
  if (businessId === undefined) return formatSubject(kind, id, style);
  const named = [formatId({ entity: 'business', id: businessId }, style), formatId({ entity: 'user', id }, style)];
  return `${kind} ${escapeControls(named.join('/'))}`;
}

/** The ids of the users and businesses of members. */
export function idsOfMembers(members: readonly Member[]): string[] {
  return members.flatMap(({ kind, id, businessId }) => (kind === 'service' ? [] : [id, businessId ?? []].flat()));
}

/** A resource in the record of the set; a membership with the name of its member. */
function formatManaged(managed: ManagedResource, style: TextStyle): string {
  const { kind, id, groupName } = managed;
  const member = kind === 'membership' ? memberships.memberIn(id) : undefined;
  const label = getKindLabel(kind);
  if (!member || groupName === undefined) return `${label} ${escapeControls(formatChangeName(managed, style))}`;
  return `${label} ${escapeControls(groupName)}: ${formatNamedMember(member, style)}`;
}

/** The ids of users and businesses that a formatted plan shows. */
export function listShownIds(plan: Pick<Plan, 'changes' | 'roles'>, { maxEntries }: TextStyle): string[] {
  const entries = plan.changes.flatMap(({ action, kind, name, fields }) => [
    ...(kind === 'customer' ? [name] : []),
    ...(action === 'delete' ? [] : fields).flatMap((change) => listIdsOfField(change, maxEntries)),
  ]);
  const subjects = plan.roles.slice(0, maxEntries).filter(({ kind }) => kind !== 'service');
  return [...new Set([...entries, ...subjects.map(({ id }) => id)])];
}

function listIdsOfField({ field, before, after, added = [], removed = [] }: FieldChange, maxEntries: number): string[] {
  const values = entityByField[field] ? [before, after].filter((value) => typeof value === 'string') : [];
  const entries = [...added.slice(0, maxEntries), ...removed.slice(0, maxEntries)];
  return [...values, ...entries.flatMap((entry) => idsInEntry(field, entry)).map(({ id }) => id)];
}

/** The ids of users and businesses that the warnings of a plan show. */
export function listWarnedIds({ guards, orphans, kept, roles }: Plan): string[] {
  const subjects = [...guards.administratorsLose, ...listGainingAdministrators({ roles })];
  const managed = [...orphans, ...kept].slice(0, maxNames);
  const members = managed.flatMap(({ kind, id }) => (kind === 'membership' ? (memberships.memberIn(id) ?? []) : []));
  const customers = managed.flatMap(({ kind, name }) => (kind === 'customer' ? [name] : []));
  return [
    ...new Set([
      ...subjects.slice(0, maxNames).map((one) => splitHolder(one)[1]),
      ...idsOfMembers(members),
      ...customers,
    ]),
  ];
}

const maxNames = 10;

function formatSigned(
  sign: string,
  entries: readonly string[],
  maxEntries: number,
  format: (entry: string) => string = (entry) => entry,
): string[] {
  const shown = entries.slice(0, maxEntries).map((entry) => `${sign} ${escapeControls(format(entry))}`);
  return entries.length > maxEntries ? [...shown, `${sign} ${entries.length - maxEntries} more`] : shown;
}

/** Wraps words at the width; continuation lines are indented like the first. A long word begins below the head. */
function wrapWords(head: string, words: readonly string[], width: number): string[] {
  const isBelow = words.some((word) => head.length + word.length > width);
  const indent = ' '.repeat(isBelow ? 8 : head.length);
  const lines = isBelow ? [head.trimEnd(), indent] : [head];
  for (const word of words) {
    const line = lines.at(-1) ?? '';
    const isStart = line.length === indent.length;
    if (isStart) lines[lines.length - 1] = line + word;
    else if (line.length + 2 + word.length > width) lines.push(indent + word);
    else lines[lines.length - 1] = `${line}  ${word}`;
  }
  return lines;
}

/** Formats the whole plan: changes, role effects, warnings and summary. */
export function formatPlan(plan: Plan, style: TextStyle): string[] {
  const { changes, roles } = plan;
  if (changes.length === 0) return [...listWarnings(plan, style), 'No changes. The server matches the documents.'];
  return [
    ...formatChanges(changes, style),
    ...(roles.length === 0 ? [] : ['', 'Effective roles:', ...formatRoleEffects(roles, style)]),
    ...listWarnings(plan, style).flatMap((warning) => ['', `! ${warning}`]),
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
export function listWarnings({ guards, orphans, kept, lostSecrets, roles }: Plan, style: TextStyle): string[] {
  const { callerLoses, lastAdministrator, administratorsLose } = guards;
  const gaining = listGainingAdministrators({ roles });
  const losing = formatNames(administratorsLose, style);
  return [
    ...(callerLoses.length > 0 ? [`You would lose ${callerLoses.join(' and ')}.`] : []),
    ...(lastAdministrator
      ? [`No user would be able to administer the service${losing === '' ? '' : `: ${losing} would lose the roles`}.`]
      : []),
    ...(administratorsLose.length > 0 && callerLoses.length === 0
      ? [`${losing} would lose ${administrativeRoles.join(' or ')}.`]
      : []),
    ...(gaining.length > 0 ? [`${formatNames(gaining, style)} would gain administrative roles.`] : []),
    ...(orphans.length > 0
      ? [
          `Created by earlier applies of this set and no longer in the documents: ${formatList(orphans.map((one) => formatManaged(one, style)))}. Delete them with --prune.`,
        ]
      : []),
    ...formatKept(kept, style),
    ...formatLostSecrets(lostSecrets, style),
  ];
}

/** A warning for each resource: its secret cannot be shown again. */
function formatLostSecrets(lost: readonly ManagedResource[], style: TextStyle): string[] {
  return lost.map((one) => {
    const command = formatRotateCommand(one.kind, singleQuote(one.id));
    return `${formatManaged(one, style)}: created by an earlier apply, and its secret is lost with the response. ${command} replaces it.`;
  });
}

/** One warning for each reason. */
function formatKept(kept: readonly KeptResource[], style: TextStyle): string[] {
  const reasons = [...new Set(kept.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const names = kept.filter((one) => one.reason === reason).map((one) => formatManaged(one, style));
    return `No longer in the documents, and not deleted by --prune: ${formatList(names)}: ${reason}.`;
  });
}

function formatList(names: readonly string[]): string {
  return `${names.slice(0, maxNames).join(', ')}${names.length > maxNames ? ' and more' : ''}`;
}

/** Those who gain ADMIN or an IAM_ADMIN role: a list of effects shows only the first ones. */
export function listGainingAdministrators({ roles }: Pick<Plan, 'roles'>): string[] {
  return roles.filter(({ gains }) => gains.some(isAdministrativeRole)).map(({ kind, id }) => `${kind} ${id}`);
}

/** Subjects such as `user u1`, with their names. */
function formatNames(subjects: readonly string[], style: TextStyle): string {
  const shown = subjects.slice(0, 5).map((one) => {
    const [kind, id] = splitHolder(one);
    return formatSubject(kind, id, style);
  });
  return subjects.length > 5 ? `${shown.join(', ')} and ${subjects.length - 5} more` : shown.join(', ');
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

/** @param style with the names of those who gain or lose roles */
export function toPlanJson(plan: Plan, style: TextStyle): Readonly<Record<string, unknown>> {
  const { set, changes, roles, kept } = plan;
  return {
    ...(set === undefined ? {} : { set }),
    changes: changes.map(toChangeJson),
    roles: roles.map((effect) => ({ ...effect, ...findSubjectName(effect, style) })),
    ...(kept.length === 0 ? {} : { kept: kept.map(({ isUnclear: _, ...one }) => one) }),
    warnings: listWarnings(plan, style),
    summary: summarize(plan),
  };
}

function findSubjectName({ kind, id }: RoleEffect, { names }: TextStyle): { readonly name?: string } {
  const name = kind === 'service' ? undefined : names?.get(nameKey(kind, id));
  return name === undefined ? {} : { name };
}

/** Returns a change as JSON, without the fields that only the execution needs. */
export function toChangeJson({ action, kind, name, id, fields }: AnyChange): Readonly<Record<string, unknown>> {
  return { action, kind, name, ...(id === undefined ? {} : { id }), fields };
}
