/**
 * Role expressions as data: parsed from the text of the service interface, enforced by the server, and printed in help,
 * errors and the OpenAPI document.
 */

/** The roles that a declaration can require. Groups can have other roles. Parsing rejects all others. */
export const knownRoles = [
  'CLI-AUTH-IDENTIFIED',
  'CLI-AUTH-BASIC',
  'CLI-1STPARTY',
  'CLI-3RDPARTY',
  'AUTH-IDENTIFIED',
  'AUTH-BASIC',
  'AUTH-MFA',
  'AUTH-SMART',
  'USER',
  'PERSON',
  'BUSINESS',
  'BUSINESSUSER',
  'BUSINESSADMIN',
  'BUSINESSOWNER',
  'ADMIN',
  'IAM_ADMIN_MAINTENANCE',
  'IAM_ADMIN_READ_ONLY',
] as const;

export type KnownRole = (typeof knownRoles)[number];

export type RoleExpression =
  | { readonly kind: 'public' }
  | { readonly kind: 'role'; readonly name: string }
  | { readonly kind: 'scope'; readonly name: string }
  | { readonly kind: 'not'; readonly of: RoleExpression }
  | { readonly kind: 'all' | 'any'; readonly of: readonly RoleExpression[] };

/** The authorities of a caller that an expression is evaluated against. Role names have no prefix ROLE_. */
export interface CallerAuthorities {
  readonly roles: ReadonlySet<string>;
  readonly scope: ReadonlySet<string>;
}

/** Removes the prefix ROLE_ of role names in tokens. */
export function stripRolePrefix(name: string): string {
  return name.startsWith('ROLE_') ? name.slice('ROLE_'.length) : name;
}

/** Whether a role describes how a client or a user authenticated, not what it may do. */
export function isAuthenticationRole(name: string): boolean {
  return /^(CLI|AUTH)-/.test(name);
}

export function isIamAdministrativeRole(name: string): boolean {
  return /^IAM_ADMIN_.+$/.test(name);
}

/** Whether a role is administrative, with or without the prefix ROLE_. */
export function isAdministrativeRole(name: string): boolean {
  const bare = stripRolePrefix(name);
  return bare === 'ADMIN' || isIamAdministrativeRole(bare);
}

/** Whether only the service can grant a role, so that groups must not contain it. */
export function isReservedRole(name: string): boolean {
  return isAuthenticationRole(name) || name === 'USER' || name === 'PERSON' || name === 'BUSINESS';
}

/**
 * Whether a role differs only in case from one that gives rights at the service, so that people would take it for that
 * one. `admin` and `user` are ordinary names: applications have them.
 */
export function isServiceRoleLookalike(name: string): boolean {
  const upper = name.toUpperCase();
  if (upper === name) return false;
  return isAuthenticationRole(upper) || isIamAdministrativeRole(upper) || /^BUSINESS(OWNER|ADMIN)$/.test(upper);
}

/**
 * Parses an expression such as `CLI-1STPARTY and (ADMIN or not BUSINESS)`; `and` binds tighter than `or`, `none` is public.
 * @throws Error if the text is not an expression or contains an unknown role.
 */
export function parseRoles(text: string): RoleExpression {
  const words = text.match(/[()]|[^\s()]+/g) ?? [];
  if (words.length === 1 && words[0] === 'none') return { kind: 'public' };
  const reader = { words, at: 0, text };
  const expression = parseAny(reader);
  if (reader.at < words.length) throw new Error(`role expression "${text}": unexpected token at "${words[reader.at]}"`);
  return expression;
}

interface WordReader {
  readonly words: readonly string[];
  readonly text: string;
  at: number;
}

function parseAny(reader: WordReader): RoleExpression {
  return parseSequence(reader, 'or', 'any', parseAll);
}

function parseAll(reader: WordReader): RoleExpression {
  return parseSequence(reader, 'and', 'all', parseFactor);
}

function parseSequence(
  reader: WordReader,
  separator: string,
  kind: 'all' | 'any',
  readPart: (reader: WordReader) => RoleExpression,
): RoleExpression {
  const parts = [readPart(reader)];
  while (reader.words[reader.at] === separator) {
    reader.at += 1;
    parts.push(readPart(reader));
  }
  return parts.length === 1 && parts[0] ? parts[0] : { kind, of: parts };
}

function parseFactor(reader: WordReader): RoleExpression {
  const word = reader.words[reader.at++];
  if (word === '(') {
    const inner = parseAny(reader);
    if (reader.words[reader.at++] !== ')') throw new Error(`role expression "${reader.text}": missing )`);
    return inner;
  }
  if (word === 'not') return { kind: 'not', of: parseFactor(reader) };
  if (word === 'scope') return { kind: 'scope', name: parseName(reader, reader.words[reader.at++]) };
  const name = stripRolePrefix(parseName(reader, word));
  if (!knownRoles.includes(name as KnownRole))
    throw new Error(`role expression "${reader.text}": unknown role ${name}`);
  return { kind: 'role', name };
}

function parseName(reader: WordReader, word: string | undefined): string {
  if (word === undefined || ['and', 'or', 'not', 'scope', 'none', '(', ')'].includes(word))
    throw new Error(`role expression "${reader.text}": expected a name at "${word ?? 'end'}"`);
  return word;
}

/** Whether a caller with these authorities is allowed. Undefined is an unauthenticated caller: only public expressions. */
export function isAllowed(expression: RoleExpression, authorities: CallerAuthorities | undefined): boolean {
  switch (expression.kind) {
    case 'public':
      return true;
    case 'role':
      return authorities?.roles.has(expression.name) ?? false;
    case 'scope':
      return authorities?.scope.has(expression.name) ?? false;
    case 'not':
      return authorities !== undefined && !isAllowed(expression.of, authorities);
    case 'any':
      return expression.of.some((part) => isAllowed(part, authorities));
    case 'all':
      return expression.of.length > 0 && expression.of.every((part) => isAllowed(part, authorities));
  }
}

/** Formats an expression; `parseRoles` parses the text to the same value. */
export function formatRoles(expression: RoleExpression): string {
  switch (expression.kind) {
    case 'public':
      return 'none';
    case 'role':
      return expression.name;
    case 'scope':
      return `scope ${expression.name}`;
    case 'not':
      return `not ${formatPart(expression.of)}`;
    case 'any':
      return expression.of
        .map((part) => (part.kind === 'any' ? `(${formatRoles(part)})` : formatRoles(part)))
        .join(' or ');
    case 'all':
      return expression.of.map(formatPart).join(' and ');
  }
}

function formatPart(part: RoleExpression): string {
  return part.kind === 'any' || part.kind === 'all' ? `(${formatRoles(part)})` : formatRoles(part);
}

/** The smallest set of changes that would allow a rejected caller: roles and scopes to add, roles to remove. */
export interface MissingAuthorities {
  readonly missingRoles: readonly string[];
  readonly missingScopes: readonly string[];
  readonly forbidden: readonly string[];
}

const nothingMissing: MissingAuthorities = { missingRoles: [], missingScopes: [], forbidden: [] };

/** Formats missing roles and scopes for messages: `ADMIN`, `scope READ`. */
export function describeMissing({
  missingRoles,
  missingScopes,
}: Pick<MissingAuthorities, 'missingRoles' | 'missingScopes'>): string[] {
  return [...missingRoles, ...missingScopes.map((name) => `scope ${name}`)];
}

/** What else gives a role that no group can grant. */
const reservedSources: Readonly<Record<string, string>> = {
  USER: 'users have it, clients do not',
  PERSON: 'users without a business have it',
  BUSINESS: 'users of a business have it',
};

/** The hint of ROLE_MISSING: the role that a group grants, or why none can; undefined if no authority is missing. */
export function formatRoleHint(
  { missingRoles, missingScopes }: Pick<MissingAuthorities, 'missingRoles' | 'missingScopes'>,
  groups: readonly string[] = [],
): string | undefined {
  const role = missingRoles.find((name) => !isReservedRole(name));
  if (role !== undefined)
    return `Add the caller to a group that grants ${role}${groups.length === 0 ? '' : `: ${groups.join(', ')}`}.`;
  const missing = describeMissing({ missingRoles, missingScopes });
  if (missing.length === 0) return undefined;
  const sources = missing.map((name) => reservedSources[name] ?? 'it depends on how the caller signs in');
  return `No group grants ${missing.join(', ')}: ${[...new Set(sources)].join('; ')}.`;
}

/** Finds the smallest set of missing authorities; empty if the caller is allowed. */
export function findMissingAuthorities(expression: RoleExpression, authorities: CallerAuthorities): MissingAuthorities {
  if (isAllowed(expression, authorities)) return nothingMissing;
  switch (expression.kind) {
    case 'public':
      return nothingMissing;
    case 'role':
      return { ...nothingMissing, missingRoles: [expression.name] };
    case 'scope':
      return { ...nothingMissing, missingScopes: [expression.name] };
    case 'not':
      return { ...nothingMissing, forbidden: [formatRoles(expression.of)] };
    case 'any':
      return expression.of
        .map((part) => findMissingAuthorities(part, authorities))
        .reduce((a, b) => (distance(b) < distance(a) ? b : a));
    case 'all':
      return expression.of.map((part) => findMissingAuthorities(part, authorities)).reduce(mergeMissing);
  }
}

/** Combinations of alternatives that are compared. */
const maxAlternatives = 32;

/**
 * Like `findMissingAuthorities`, with every alternative that is equally close, those with the least administrative power
 * first. Empty if the caller is allowed.
 */
export function listMissingAlternatives(
  expression: RoleExpression,
  authorities: CallerAuthorities,
): readonly MissingAuthorities[] {
  if (isAllowed(expression, authorities)) return [];
  const all = listAlternatives(expression, authorities);
  const closest = Math.min(...all.map(distance));
  return all
    .filter((missing) => distance(missing) === closest)
    .sort((a, b) => administrativePower(a.missingRoles) - administrativePower(b.missingRoles));
}

function listAlternatives(expression: RoleExpression, authorities: CallerAuthorities): MissingAuthorities[] {
  if (isAllowed(expression, authorities)) return [nothingMissing];
  if (expression.kind === 'any')
    return expression.of.flatMap((part) => listAlternatives(part, authorities)).slice(0, maxAlternatives);
  if (expression.kind !== 'all') return [findMissingAuthorities(expression, authorities)];
  let combined = [nothingMissing];
  for (const part of expression.of) {
    const alternatives = listAlternatives(part, authorities);
    combined = combined.flatMap((one) => alternatives.map((other) => mergeMissing(one, other)));
    combined = combined.slice(0, maxAlternatives);
  }
  return combined;
}

/** From the least to the most powerful. */
const administrativeRoles = ['IAM_ADMIN_READ_ONLY', 'IAM_ADMIN_MAINTENANCE', 'ADMIN'];

/** A number that compares how much of the service these roles administer. */
export function administrativePower(roles: readonly string[]): number {
  return Math.max(0, ...roles.map((role) => administrativeRoles.indexOf(role) + 1));
}

function distance(missing: MissingAuthorities): number {
  return missing.missingRoles.length + missing.missingScopes.length + missing.forbidden.length;
}

function mergeMissing(a: MissingAuthorities, b: MissingAuthorities): MissingAuthorities {
  return {
    missingRoles: [...new Set([...a.missingRoles, ...b.missingRoles])],
    missingScopes: [...new Set([...a.missingScopes, ...b.missingScopes])],
    forbidden: [...new Set([...a.forbidden, ...b.forbidden])],
  };
}

/** The groups that the first start of every server creates. The service knows them by these names. */
export const builtInGroupNames = [
  'iam-administrators',
  'iam-auditors',
  'business-users',
  'business-admins',
  'business-owners',
] as const;

export type BuiltInGroupName = (typeof builtInGroupNames)[number];

export function isBuiltInGroup(groupName: string): boolean {
  return (builtInGroupNames as readonly string[]).includes(groupName);
}
