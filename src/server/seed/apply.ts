/**
 * Applies a seed in one transaction. Entities with the same id or name are updated where they differ; entities and group
 * members that the seed does not contain stay unchanged.
 */

import { createHostFinder, singleLabelMessage } from '../../contract/email/single-label-hosts.ts';
import { formatPath } from '../../contract/errors.ts';
import { stripRolePrefix } from '../../contract/roles.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import { revokeUserAccess } from '../auth/revoke-user-access.ts';
import { hasTestFeatures } from '../config/settings.ts';
import { withAdministratorCheck } from '../directory/administrators.ts';
import { digestApiKey } from '../directory/api-keys.ts';
import { replaceLists } from '../directory/clients.ts';
import { assertNoLookalikes } from '../directory/groups.ts';
import { normalizeNewName } from '../directory/new-names.ts';
import { reserveSubjectId } from '../directory/subject-ids.ts';
import { certificatePrefix, formatCertificateIdentity } from '../federation/certificate-login.ts';
import { hashSecret } from '../lib/secrets.ts';
import { withoutConsents } from '../sessions/consents.ts';
import { endLoginsOfChangedClient } from '../sessions/end-sessions.ts';
import { withoutKnownSources } from '../sessions/known-sources.ts';
import type { Store, Transaction } from '../store/store.ts';
import { type ApiKey, type Client, isUserNameVerified, loginNames, type User } from '../store/tables.ts';
import { readHash } from '../users/hashes/exporter-forms.ts';
import { describeViolations } from '../users/password-policy.ts';
import { hashPassword } from '../users/passwords.ts';
import {
  assertVisibleLoginsAvailable,
  findIdentityProblem,
  findUserByLogin,
  hasPasswordOfHash,
  normalizeIdentity,
  normalizeNewUserName,
  removeBusinessMemberships,
  withGivenName,
  withPassword,
  withVerifiedName,
} from '../users/users.ts';
import { applyBusinesses } from './businesses.ts';
import {
  type AssertOnce,
  createSeedEntries,
  isRejection,
  type SeedCounts,
  type SeedOutcome,
  withoutStop,
} from './entries.ts';
import { SeedError, SeedProblem } from './error.ts';
import { applyFactors } from './factors.ts';
import { applyGroups } from './groups.ts';
import { applyLogon, clearMovedLogons, listNewLogons, normalizeLogons } from './mainframe.ts';
import { createSeedPasswords, type PasswordHolder, type SeedPasswords } from './passwords.ts';
import { findPresentUsers, prefetchUsers } from './prefetched-users.ts';
import { applyProduct } from './products.ts';
import { applyProviders } from './providers.ts';
import { type SeedApiKey, type SeedClient, SeedDocument, type SeedUser } from './schema.ts';
import { omitUndefined, replaceIfChanged, type SeedDeps } from './seed-rows.ts';
import { withLengthCheck } from './token-lengths.ts';

/** Without an issuer, which a conversion has not. */
const anyLength = { fitsUser: async () => true };

/** Applies a seed. @returns the counts by kind. @throws SeedError if it can't be applied; the store is unchanged then. */
export async function applySeed(seed: SeedDocument, deps: SeedDeps): Promise<SeedCounts> {
  const { store, settings, reportHashes, hash = hashPassword } = deps;
  if (settings && !hasTestFeatures(settings)) assertHosts(seed);
  const passwords = createSeedPasswords(hash);
  const holders = [...(await listNewUsers(seed.users, store)), ...(await listNewLogons(seed, store))];
  await passwords.hashAll(holders, settings?.hashConcurrency ?? 1, reportHashes);
  try {
    return await store.transaction((tx) =>
      withAdministratorCheck(tx, deps.issuer ?? anyLength, () =>
        withLengthCheck(tx, seed, deps, (recorded) => applyEntries(recorded, seed, deps, passwords)),
      ),
    );
  } catch (error) {
    if (!isRejection(error)) throw error;
    const message = `the seed can't be applied: ${withoutStop(error.message)}`;
    throw new SeedError(message, [{ path: [], message }]);
  }
}

const findSingleLabelHosts = createHostFinder(SeedDocument);

/** @throws SeedError for addresses and domains that only servers with test features accept. */
function assertHosts(seed: SeedDocument): void {
  const issues = (findSingleLabelHosts?.(seed) ?? []).map((path) => ({ path: [...path], message: singleLabelMessage }));
  if (issues.length > 0)
    throw new SeedError(issues.map(({ path, message }) => `${formatPath(path)}: ${message}`).join('\n'), issues);
}

async function applyEntries(
  tx: Transaction,
  seed: SeedDocument,
  deps: SeedDeps,
  passwords: SeedPasswords,
): Promise<SeedCounts> {
  // Not outside of the transaction, which the engine may retry.
  const entries = createSeedEntries();
  await applyBusinesses(tx, seed, deps, entries);
  const users = await prefetchUsers(tx, seed.users);
  const userDeps = { ids: deps.ids, clock: deps.clock, passwords };
  await entries.each('users', seed.users, (user, assertOnce) => applyUser(users, user, userDeps, assertOnce));
  await entries.each('users', seed.users, (user) => applyUserFactors(tx, user, deps));
  await entries.each('clients', seed.clients, (client, assertOnce) => {
    assertOnce(client.clientId, client.clientId, 'clientId');
    return applyClient(tx, client, deps);
  });
  await applyGroups(tx, seed.groups, deps, entries);
  await entries.each('apiKeys', seed.apiKeys, (key, assertOnce) => applyApiKey(tx, key, deps, assertOnce));
  await entries.each('mainframe', seed.mainframe, (logon, assertOnce) => applyLogon(tx, logon, passwords, assertOnce));
  await entries.each('products', seed.products, (product, assertOnce) => applyProduct(tx, product, deps, assertOnce));
  await applyProviders(tx, seed.providers, entries);
  return entries.counts();
}

/** The new users with a password; plain passwords of existing users are ignored. @throws SeedError for weak passwords. */
async function listNewUsers(users: SeedDocument['users'], store: Store): Promise<PasswordHolder[]> {
  const found: PasswordHolder[] = [];
  const canExist = await findPresentUsers(store, users);
  await createSeedEntries().each('users', users, async (user) => {
    if (user.password === undefined || (canExist(user) && (await findUser(store, user)))) return 'unchanged';
    const [weakness] = await describeViolations(user.password, user);
    if (weakness !== undefined)
      throw new SeedProblem(`the password of ${user.userId ?? user.userName} ${weakness}`, ['password']);
    found.push(user);
    return 'unchanged';
  });
  return found;
}

/**
 * A user that registered itself is found by its id only: a caller that takes the name in time would otherwise get what the
 * seed gives, with a password and factors of its own. @throws SeedProblem naming the user that has the name
 */
export async function findUser(reader: Pick<Transaction, 'users'> | Store, user: SeedUser): Promise<User | undefined> {
  if (user.userId !== undefined) return reader.users.get(user.userId);
  if (user.userName === undefined) return undefined;
  const known = await findUserByLogin(reader, user.userName);
  if (!known?.selfRegistered) return known;
  throw new SeedProblem(
    `the name ${JSON.stringify(user.userName)} belongs to the user ${known.userId}, who signed up. If this is the user that the seed means, add \`userId: ${known.userId}\`; to free the name, remove that user with \`iam users delete id:${known.userId}\``,
    ['userName'],
  );
}

/** A missing owner would lock out the client or user. */
async function assertOwnersExist(
  tx: Transaction,
  what: string,
  { userId, businessId }: { userId?: string | undefined; businessId?: string | undefined },
): Promise<void> {
  if (userId !== undefined && !(await tx.users.get(userId)))
    throw new SeedProblem(`${what} refers to user ${userId}, which does not exist`, ['userId']);
  if (businessId !== undefined && !(await tx.businesses.get(businessId)))
    throw new SeedProblem(`${what} refers to business ${businessId}, which does not exist`, ['businessId']);
}

interface UserDeps extends Pick<SeedDeps, 'ids' | 'clock'> {
  readonly passwords: SeedPasswords;
}

async function applyUser(
  tx: Transaction,
  seed: SeedUser,
  { ids, clock, passwords }: UserDeps,
  assertOnce: AssertOnce,
): Promise<SeedOutcome> {
  const {
    password: _plain,
    passwordHash: givenHash,
    factors: _factors,
    certificates: _,
    legacyLogons,
    ...others
  } = seed;
  const seedHash = givenHash === undefined ? undefined : readHash(givenHash).hash;
  const known = await findUser(tx, seed);
  const userId = known?.userId ?? seed.userId ?? ids.newId();
  assertOnce(userId, seed.userName ?? userId, seed.userId === undefined ? 'userName' : 'userId');
  const userName = seed.userName === undefined ? undefined : normalizeNewUserName(seed.userName, known?.userName);
  const rest = { ...others, userName, ...normalizeLogons(legacyLogons) };
  const identities = mergeIdentities(seed, known);
  await assertOwnersExist(tx, String(seed.userId ?? seed.userName), { businessId: seed.businessId });
  const contacts = {
    ...(seed.userEmail === undefined ? {} : { emailVerified: true }),
    ...(seed.userMobile === undefined ? {} : { mobileVerified: true }),
  };
  if (known) {
    await clearMovedLogons(tx, known, { ...known, ...rest });
    if (rest.businessId !== undefined && rest.businessId !== known.businessId)
      await removeBusinessMemberships(tx, known);
    const newHash = seedHash !== undefined && !hasPasswordOfHash(known, seedHash) ? seedHash : undefined;
    if (newHash !== undefined || (seed.locked && !known.locked)) await revokeUserAccess(tx, known.userId);
    const before = newHash === undefined ? known : withPassword(withoutConsents(withoutKnownSources(known)), newHash);
    const changed = { ...before, ...omitUndefined(rest), ...contacts, identities };
    const after = withSeedName(seed, changed, known);
    await assertLoginsAvailable(tx, after, known);
    return replaceIfChanged(known, after, (row) => tx.users.replace(row));
  }
  await clearMovedLogons(tx, {}, rest);
  const passwordHash = seedHash ?? (await passwords.hashOf(seed));
  await reserveSubjectId(tx, { subject: userId, kind: 'user', ownerId: userId });
  const user: User = {
    userName: userId,
    emailVerified: false,
    mobileVerified: false,
    lead: false,
    locked: false,
    ...omitUndefined(rest),
    ...contacts,
    identities,
    ...(passwordHash === undefined ? {} : { passwordHash }),
    userId,
    createdAt: clock.now().toISOString(),
  };
  // Names from a seed count as verified.
  const named = seed.userName === undefined || seed.selfRegistered ? user : withVerifiedName(user);
  await assertLoginsAvailable(tx, named);
  await tx.users.insert(named);
  return 'created';
}

/** @throws SeedProblem naming the user that has a login name; IamError LOGIN_NAME_TAKEN if one looks like another */
async function assertLoginsAvailable(tx: Transaction, user: User, known?: User): Promise<void> {
  const own = known ? loginNames(known) : [];
  for (const name of loginNames(user)) {
    const other = own.includes(name) ? undefined : await findUserByLogin(tx, name);
    if (other && other.userId !== user.userId) throw createNameTakenProblem(name, user, other);
  }
  await assertVisibleLoginsAvailable(tx, user, known);
}

function createNameTakenProblem(name: string, user: User, other: User): SeedProblem {
  const field = (['userId', 'userName', 'userEmail'] as const).find((one) => foldIdentifier(user[one] ?? '') === name);
  const id = `id:${other.userId}`;
  const rename =
    foldIdentifier(other.userName) === name ? `, or rename it with \`iam users update ${id} --user-name NAME\`` : '';
  return new SeedProblem(
    `the login name ${JSON.stringify(name)} belongs to the user ${other.userId}. To free the name, remove that user with \`iam users delete ${id}\`${rename}, on a server that starts without this seed, and apply the seed again`,
    [field ?? 'identities'],
  );
}

/** The name of a seed is set by the operator, unless the seed was exported and the user signed up with it. */
function withSeedName(seed: SeedUser, changed: User, known: User): User {
  if (seed.selfRegistered) return changed;
  if (seed.userName !== undefined) return withGivenName(changed);
  return isUserNameVerified(known) ? withVerifiedName(changed) : changed;
}

async function applyUserFactors(tx: Transaction, seed: SeedUser, deps: SeedDeps): Promise<SeedOutcome> {
  const user = seed.factors && (await findUser(tx, seed));
  return user ? applyFactors(tx, user, seed.factors ?? [], deps) : 'unchanged';
}

/** Login identifiers and certificates are one list in the row, but two in the seed; a missing one stays unchanged. */
function mergeIdentities({ identities, certificates }: SeedUser, known?: User): readonly string[] {
  const isCertificate = (name: string) => name.startsWith(certificatePrefix);
  const before = known?.identities ?? [];
  if (identities === undefined && certificates === undefined) return before;
  if (identities) assertNewIdentities(identities, known);
  const names = identities?.map(normalizeIdentity) ?? before.filter((name) => !isCertificate(name));
  return [...new Set([...names, ...(certificates?.map(formatCertificateIdentity) ?? before.filter(isCertificate))])];
}

/** @throws SeedProblem for the first that the user does not have and that no request can add */
function assertNewIdentities(identities: readonly string[], known?: User): void {
  const own = known ? loginNames(known) : [];
  for (const [index, identity] of identities.entries()) {
    const problem = own.includes(foldIdentifier(identity)) ? undefined : findIdentityProblem(identity);
    if (problem)
      throw new SeedProblem(`the login identifier ${JSON.stringify(identity)} ${problem.text}`, ['identities', index]);
  }
}

async function applyClient(tx: Transaction, seed: SeedClient, { clock }: SeedDeps): Promise<SeedOutcome> {
  const {
    clientSecret,
    previousSecret,
    authorities,
    redirectURI,
    redirectURIs = redirectURI === undefined ? undefined : [redirectURI],
    audiences,
    postLogoutRedirectURIs,
    ...others
  } = seed;
  const { secretHash = clientSecret && hashSecret(clientSecret), ...rest } = others;
  const known = await tx.clients.get(seed.clientId);
  const fields = {
    ...omitUndefined(rest),
    ...(rest.appId === undefined ? {} : { appId: normalizeNewName('appId', rest.appId, known?.appId) }),
    ...(authorities ? { authorities: authorities.map(stripRolePrefix) } : {}),
  };
  assertNoLookalikes((fields.authorities ?? []).filter((role) => !known?.authorities.includes(role)));
  await assertOwnersExist(tx, seed.clientId, seed);
  if (seed.serviceAccountId !== undefined && known?.serviceAccountId !== seed.serviceAccountId)
    await reserveClientSubject(tx, seed, 'serviceAccountId');
  const lists = { redirectURIs, audiences, postLogoutRedirectURIs };
  if (known)
    return replaceIfChanged(known, replaceLists({ ...known, ...fields }, lists), async (row) => {
      await tx.clients.replace(row);
      await endLoginsOfChangedClient(tx, known, row);
    });
  await reserveClientSubject(tx, seed, 'clientId');
  const client: Client = {
    appId: seed.clientId,
    party: '1STPARTY',
    authorities: [],
    scope: [],
    grantTypes: ['client_credentials'],
    factorVisibility: 'CREDENTIALS_ONLY',
    ...fields,
    clientId: seed.clientId,
    ...omitUndefined({ secretHash, previousSecret }),
    createdAt: clock.now().toISOString(),
  };
  await tx.clients.insert(replaceLists(client, lists));
  return 'created';
}

const subjectKinds = { clientId: 'client', serviceAccountId: 'service' } as const;

/**
 * Reserves an id for a client or its service. Unlike a request, a seed may reuse the id of a removed user: a caller that
 * signs up with it would block it forever. @throws SeedProblem naming the user that has the id; IamError ID_TAKEN
 */
async function reserveClientSubject(
  tx: Transaction,
  seed: SeedClient,
  field: keyof typeof subjectKinds,
): Promise<void> {
  const { clientId: ownerId, [field]: subject = ownerId } = seed;
  const reservation = { subject, kind: subjectKinds[field], ownerId };
  const known = await tx.subjects.get(subject);
  if (known?.kind !== 'user') return reserveSubjectId(tx, reservation, { reuses: 'user' });
  const user = await tx.users.get(subject);
  throw new SeedProblem(
    `${subject} is the id of the user ${JSON.stringify(user?.userName ?? subject)}. To free the id, remove the user with \`iam users delete id:${subject}\`, on a server that starts without this seed, and apply the seed again`,
    [field],
  );
}

/** A plain key applies until the key is rotated: it is the replaced one then, which must not become valid again. */
async function applyApiKey(
  tx: Transaction,
  seed: SeedApiKey,
  { clock }: SeedDeps,
  assertOnce: AssertOnce,
): Promise<SeedOutcome> {
  const { apiKey, keyHash = '', hint = '', previousKey, ...fields } = seed;
  const client = await tx.clients.get(seed.clientId);
  if (!client) throw new SeedProblem(`client ${seed.clientId} does not exist`, ['clientId']);
  const keyFields = apiKey === undefined ? { keyHash, hint, ...omitUndefined({ previousKey }) } : digestApiKey(apiKey);
  const { apiKeyId = deriveApiKeyId(keyFields.keyHash) } = seed;
  const known = (await tx.apiKeys.get(apiKeyId)) ?? (await tx.apiKeys.getBy('keyHash', keyFields.keyHash));
  assertOnce(
    known?.apiKeyId ?? apiKeyId,
    `the API key of ${seed.appId}`,
    seed.apiKeyId === undefined ? 'appId' : 'apiKeyId',
  );
  const appId = normalizeNewName('appId', seed.appId, known?.appId, client.appId);
  if (known) {
    // An exported seed has no time of the rotation, but what it replaced.
    const isRotated = apiKey !== undefined && (known.rotatedAt ?? known.previousKey) !== undefined;
    const changed = { ...known, ...omitUndefined(fields), appId, apiKeyId: known.apiKeyId };
    return replaceIfChanged(known, isRotated ? changed : withKey(changed, keyFields), (row) => tx.apiKeys.replace(row));
  }
  await tx.apiKeys.insert({
    ...fields,
    appId,
    ...keyFields,
    apiKeyId,
    createdAt: clock.now().toISOString(),
  });
  return 'created';
}

/** The id of a key without one: always the same, so that the seed still finds the key after any number of rotations. */
function deriveApiKeyId(keyHash: string): string {
  return hashSecret(`id of the API key ${keyHash}`).slice('sha256:'.length).slice(0, 24);
}

/** A previous key belongs to its current one: the seed of another key replaces both. */
function withKey(
  { previousKey: before, ...known }: ApiKey,
  { previousKey, ...digest }: Pick<ApiKey, 'keyHash' | 'hint' | 'previousKey'>,
): ApiKey {
  const kept = previousKey ?? (digest.keyHash === known.keyHash ? before : undefined);
  return { ...known, ...digest, ...omitUndefined({ previousKey: kept }) };
}
