/** Explains roles: the operations that require, accept or reject a caller with a role. */
import { InputError } from '../../../client/errors.ts';
import { asPage } from '../../../client/response.ts';
import type { Manifest, ManifestOperation } from '../../../contract/manifest-types.ts';
import {
  findMissingAuthorities,
  isAllowed,
  isReservedRole,
  knownRoles,
  parseRoles,
  type RoleExpression,
  stripRolePrefix,
} from '../../../contract/roles.ts';
import type { RequestContext } from '../../context.ts';
import { categoryOf } from '../../errors.ts';
import { callOperation } from '../../request/call-operation.ts';
import { collectEntries, type PageSource } from '../../request/pagination.ts';
import { formatItems, formatParagraph } from './text.ts';

export interface RoleExplanation {
  readonly kind: 'role';
  readonly role: string;
  /** Whether groups can grant it. Other roles depend on how the caller signs in. */
  readonly grantedByGroups: boolean;
  /** Operations that no caller without the role may call. */
  readonly requiredBy: readonly string[];
  /** Operations that accept the role instead of others. */
  readonly acceptedBy: readonly string[];
  /** Operations that reject the role unless the caller has others. */
  readonly rejectedBy: readonly string[];
  /** Names of groups of the server that grant a role that no operation names. */
  readonly groups?: readonly string[];
}

/** Explains a role that operations name; undefined for other names. */
export function explainRole({ operations }: Manifest, name: string): RoleExplanation | undefined {
  const role = stripRolePrefix(name.toUpperCase());
  const uses = operations.flatMap((operation) => {
    const use = findUse(parseRoles(operation.roles), role);
    return use === undefined ? [] : [{ operation, use }];
  });
  if (uses.length === 0 && !(knownRoles as readonly string[]).includes(role)) return undefined;
  const idsOf = (wanted: Use) => uses.filter(({ use }) => use === wanted).map(({ operation }) => operation.id);
  return {
    ...{ kind: 'role', role, grantedByGroups: !isReservedRole(role) },
    requiredBy: idsOf('required'),
    acceptedBy: idsOf('accepted'),
    rejectedBy: idsOf('rejected'),
  };
}

/**
 * Explains a role that only groups of the server name, as typed or else in capital letters; undefined if no group grants it
 * directly.
 */
export async function explainRoleOfGroups(context: RequestContext, name: string): Promise<RoleExplanation | undefined> {
  for (const role of new Set([name, name.toUpperCase()].map(stripRolePrefix))) {
    const groups = await listGrantingGroups(context, role);
    if (groups.length > 0)
      return { kind: 'role', role, grantedByGroups: true, requiredBy: [], acceptedBy: [], rejectedBy: [], groups };
  }
  return undefined;
}

/** The names of groups; empty if the text is no valid name of a role. */
async function listGrantingGroups(context: RequestContext, role: string): Promise<readonly string[]> {
  try {
    const load: PageSource = async (query) =>
      asPage(await callOperation(context, 'groups.list', { query: { ...query, role } }));
    const groups = await collectEntries(load, Number.POSITIVE_INFINITY);
    return (groups as readonly { readonly groupName: string }[]).map(({ groupName }) => groupName);
  } catch (error) {
    if (error instanceof InputError || categoryOf(context.manifest, error) === 'field') return [];
    throw error;
  }
}

/** The groups that people read. */
const maxGroups = 50;

function formatGroups(groups: readonly string[]): readonly string[] {
  const more = groups.length - maxGroups;
  return more > 0 ? [...groups.slice(0, maxGroups), `and ${more} more`] : groups;
}

type Use = 'required' | 'accepted' | 'rejected';

function findUse(expression: RoleExpression, role: string): Use | undefined {
  const { allowed, forbidden } = listNames(expression);
  if (allowed.has(role)) {
    const others = { roles: new Set([...allowed].filter((one) => one !== role)), scope: listScopes(expression) };
    return isAllowed(expression, others) ? 'accepted' : 'required';
  }
  return forbidden.has(role) ? 'rejected' : undefined;
}

interface RoleNames {
  readonly allowed: Set<string>;
  readonly forbidden: Set<string>;
}

function listNames(
  expression: RoleExpression,
  names: RoleNames = { allowed: new Set(), forbidden: new Set() },
): RoleNames {
  const { kind } = expression;
  if (kind === 'role') names.allowed.add(expression.name);
  if (kind === 'not') listNames(expression.of, { allowed: names.forbidden, forbidden: names.allowed });
  if (kind === 'all' || kind === 'any') for (const one of expression.of) listNames(one, names);
  return names;
}

function listScopes(expression: RoleExpression): Set<string> {
  const none = { roles: new Set<string>(), scope: new Set<string>() };
  return new Set(findMissingAuthorities(expression, none).missingScopes);
}

/** The roles that operations name. */
export function listRoles(operations: readonly ManifestOperation[]): string[] {
  const names = operations.flatMap(({ roles }) => [...listNames(parseRoles(roles)).allowed]);
  return [...new Set(names)].sort();
}

export function formatRole(explanation: RoleExplanation, width: number): string[] {
  const { role, grantedByGroups, requiredBy, acceptedBy, rejectedBy, groups } = explanation;
  const origin = grantedByGroups
    ? `Groups ${groups ? 'grant' : 'can grant'} it: \`iam groups list --role ${role} --all\` lists them.`
    : 'No group can grant it: it depends on the caller and on how it signs in.';
  const section = (heading: string, ids: readonly string[]) =>
    ids.length === 0 ? [] : ['', heading, ...formatParagraph(ids.join(', '), width - 2).map((line) => `  ${line}`)];
  return [
    ...formatItems([['Role', role]], width, ''),
    ...formatParagraph(origin, width),
    ...(groups ? ['No operation of the service requires it: it is for the applications that read tokens.'] : []),
    ...section('Groups that grant it directly:', formatGroups(groups ?? [])),
    ...section('Operations that require it:', requiredBy),
    ...section('Operations that accept it instead of another role:', acceptedBy),
    ...section('Operations that reject it, unless the caller has another role:', rejectedBy),
  ];
}
