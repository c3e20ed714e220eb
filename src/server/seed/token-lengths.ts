/** Rejects a seed that makes tokens too long, with each of their holders at its place in the document. */
import { formatPath } from '../../contract/errors.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import type { Reader, Transaction } from '../store/store.ts';
import { loginNames } from '../store/tables.ts';
import { findLongTokens, type LongToken, type TokenHolder } from '../tokens/document-lengths.ts';
import type { TokenMeasure } from '../tokens/issue.ts';
import { RoleChanges } from '../tokens/role-changes.ts';
import { SeedError } from './error.ts';
import type { SeedIssue } from './issues.ts';
import type { SeedDocument } from './schema.ts';

interface Deps {
  readonly store: Reader;
  readonly issuer?: TokenMeasure | undefined;
}

/** Applies the seed in this transaction. @throws SeedError for tokens that are longer than the setting max-token */
export async function withLengthCheck<Result>(
  tx: Transaction,
  seed: SeedDocument,
  { store, issuer }: Deps,
  apply: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  if (!issuer) return apply(tx);
  const changes = new RoleChanges();
  const result = await apply(changes.record(tx));
  const { tokens, count } = await findLongTokens({ tx, store, changes }, issuer);
  if (tokens.length === 0) return result;
  const findPath = createPathFinder(seed);
  const issues = tokens.map((token): SeedIssue => ({ path: findPath(token), message: describeToken(token) }));
  if (count > tokens.length)
    issues.push({ path: [], message: `${count - tokens.length} more tokens would be too long, which are not listed` });
  throw new SeedError(issues.map(formatIssue).join('\n'), issues);
}

function formatIssue({ path, message }: SeedIssue): string {
  return path.length === 0 ? message : `${formatPath(path)}: ${message}`;
}

function describeToken({ holder, size: { roleCount, length, maxLength } }: LongToken): string {
  return `a token of ${nameHolder(holder)} would have ${roleCount} roles and ${length} bytes. The limit is ${maxLength} bytes: use fewer roles, or a higher max-token`;
}

function nameHolder(holder: TokenHolder): string {
  if (holder.kind === 'group') return `a member of the group ${JSON.stringify(holder.group.groupName)}`;
  return holder.kind === 'user' ? `the user ${holder.user.userId}` : `the client ${holder.client.clientId}`;
}

type Path = readonly PropertyKey[];

/** Of a holder that is no entry, the place is that of its first membership, else of the first group that it has roles of. */
function createPathFinder(seed: SeedDocument): (token: LongToken) => Path {
  const paths = new Map<string, Path>();
  for (const [name, path] of listPlaces(seed)) if (!paths.has(name)) paths.set(name, path);
  return ({ holder, groups }) => {
    for (const name of [...listNames(holder), ...groups.map(({ groupName }) => `group ${groupName}`)]) {
      const path = paths.get(name);
      if (path) return path;
    }
    return [];
  };
}

function listNames(holder: TokenHolder): string[] {
  if (holder.kind === 'group') return [`group ${holder.group.groupName}`];
  if (holder.kind === 'client') {
    const { clientId, serviceAccountId } = holder.client;
    return [`client ${clientId}`, `service ${serviceAccountId}`];
  }
  const { userId, businessId } = holder.user;
  const logins = loginNames(holder.user).map((name) => `login ${name}`);
  return [`user ${userId}`, ...logins, `member ${userId}`, `business ${businessId}`];
}

/** By the kind and the name of what an entry or a member refers to. */
function* listPlaces({ users = [], clients = [], groups = [] }: SeedDocument): Generator<[string, Path]> {
  for (const [at, { userId, userName = '' }] of users.entries())
    yield [userId === undefined ? `login ${foldIdentifier(userName)}` : `user ${userId}`, ['users', at]];
  for (const [at, { clientId }] of clients.entries()) yield [`client ${clientId}`, ['clients', at]];
  for (const [at, group] of groups.entries()) {
    const path = ['groups', at];
    yield [`group ${group.groupName.normalize('NFC')}`, path];
    for (const [index, id] of (group.users ?? []).entries()) yield [`member ${id}`, [...path, 'users', index]];
    for (const [index, { userId }] of (group.businessUsers ?? []).entries())
      yield [`member ${userId}`, [...path, 'businessUsers', index]];
    for (const [index, id] of (group.businesses ?? []).entries())
      yield [`business ${id}`, [...path, 'businesses', index]];
    for (const [index, id] of (group.services ?? []).entries()) yield [`service ${id}`, [...path, 'services', index]];
  }
}
