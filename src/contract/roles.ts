/**
 * Role expressions as data: parsed from the text of the service interface, enforced by the server, printed in help
 * and errors, and put into the API document. One value serves all of them.
 */

/** Every role that a declaration may name. A group may carry others; an operation can't ask for them by mistake. */
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

/** What of a caller an expression looks at. Role names come without the prefix ROLE_. */
export interface CallerAuthorities {
  readonly roles: ReadonlySet<string>;
  readonly scope: ReadonlySet<string>;
}

/** Role names compare without the prefix that tokens carry. */
export function stripRolePrefix(name: string): string {
  return name.startsWith('ROLE_') ? name.slice('ROLE_'.length) : name;
}

/** Roles that say how a client or a user authenticated, as opposed to what it may do. */
export function isAuthenticationRole(name: string): boolean {
  return /^(CLI|AUTH)-/.test(name);
}

/** The IAM_ADMIN roles. */
export function isIamAdministrativeRole(name: string): boolean {
  return /^IAM_ADMIN_.+$/.test(name);
}

/** Roles that administer, with or without the prefix that tokens carry. */
export function isAdministrativeRole(name: string): boolean {
  const bare = stripRolePrefix(name);
  return bare === 'ADMIN' || isIamAdministrativeRole(bare);
}

/** Roles that only the service itself gives: a group must not name one. */
export function isReservedRole(name: string): boolean {
  return isAuthenticationRole(name) || name === 'USER' || name === 'PERSON' || name === 'BUSINESS';
}

/**
 * Reads an expression such as `CLI-1STPARTY and (ADMIN or not BUSINESS)`; `and` binds tighter than `or`, `none` is public.
 * @throws Error where the text is no expression or names an unknown role: a declaration's fault, found at start.
 */
export function parseRoles(text: string): RoleExpression {
  const words = text.match(/[()]|[^\s()]+/g) ?? [];
  if (words.length === 1 && words[0] === 'none') return { kind: 'public' };
  const reader = { words, at: 0, text };
  const expression = parseAny(reader);
  if (reader.at < words.length)
    throw new Error(`role expression "${text}": nothing may follow at "${words[reader.at]}"`);
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
    if (reader.words[reader.at++] !== ')') throw new Error(`role expression "${reader.text}": ) is missing`);
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
    throw new Error(`role expression "${reader.text}": a name is due at "${word ?? 'its end'}"`);
  return word;
}

/** Whether a caller with these roles and scopes may pass. Nobody (undefined) passes a public expression only. */
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

/** The expression as text that `parseRoles` reads back to the same value. */
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

/** What a refused caller lacks on the shortest way in: roles and scopes to gain, roles that stand against it. */
export interface MissingAuthorities {
  readonly missingRoles: readonly string[];
  readonly missingScopes: readonly string[];
  readonly forbidden: readonly string[];
}

const nothingMissing: MissingAuthorities = { missingRoles: [], missingScopes: [], forbidden: [] };

/** Missing roles and scopes as messages name them: `ADMIN`, `scope READ`. */
export function describeMissing({
  missingRoles,
  missingScopes,
}: Pick<MissingAuthorities, 'missingRoles' | 'missingScopes'>): string[] {
  return [...missingRoles, ...missingScopes.map((name) => `scope ${name}`)];
}

/** The nearest way from what the caller has to what the expression asks; nothing to gain where it is allowed. */
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
