/**
 * Applies a seed in one transaction. Entities with the same id or name are updated where they differ; entities and group
 * members that the seed does not contain stay unchanged.
 */
import { IamError } from '../../contract/errors.ts';
import { stripRolePrefix } from '../../contract/roles.ts';
import { withAdministratorCheck } from '../directory/administrators.ts';
import { digestApiKey } from '../directory/api-keys.ts';
import { reserveSubjectId } from '../directory/subject-ids.ts';
import { certificatePrefix, formatCertificateIdentity } from '../federation/certificate-login.ts';
import { hashSecret } from '../lib/secrets.ts';
import { withoutKnownSources } from '../sessions/known-sources.ts';
import { DuplicateError, type Store, type Transaction } from '../store/store.ts';
import { foldIdentifier, isUserNameVerified, type User } from '../store/tables.ts';
import { describeViolations } from '../users/password-policy.ts';
import { type HashPassword, hashPassword } from '../users/passwords.ts';
import { removeBusinessMemberships, withVerifiedName } from '../users/users.ts';
import { applyBusinesses } from './businesses.ts';
import { SeedError } from './error.ts';
import { applyFactors } from './factors.ts';
import { applyGroups } from './groups.ts';
import { applyMainframe, clearMovedLogons, hashNewLogons, normalizeLogons } from './mainframe.ts';
import { applyProducts } from './products.ts';
import { applyProviders } from './providers.ts';
import type { SeedApiKey, SeedClient, SeedDocument, SeedUser } from './schema.ts';
import { omitUndefined, replaceIfChanged, type SeedDeps } from './seed-rows.ts';

/** Applies a seed. @throws SeedError if it can't be applied; the store is unchanged then. */
export async function applySeed(seed: SeedDocument, deps: SeedDeps): Promise<void> {
  const { store, hash = hashPassword } = deps;
  const passwords = await hashNewPasswords(seed.users ?? [], store, hash);
  const logons = await hashNewLogons(seed, store, hash);
  try {
    await store.transaction((tx) =>
      withAdministratorCheck(tx, async () => {
        await applyBusinesses(tx, seed, deps);
        for (const user of seed.users ?? []) await applyUser(tx, user, deps, passwords.get(user));
        for (const user of seed.users ?? []) await applyUserFactors(tx, user, deps);
        for (const client of seed.clients ?? []) await applyClient(tx, client, deps);
        await applyGroups(tx, seed.groups ?? [], deps);
        for (const key of seed.apiKeys ?? []) await applyApiKey(tx, key, deps);
        await applyMainframe(tx, seed, logons);
        await applyProducts(tx, seed, deps);
        await applyProviders(tx, seed.providers ?? []);
      }),
    );
  } catch (error) {
    if (error instanceof IamError || error instanceof DuplicateError)
      throw new SeedError(`the seed can't be applied: ${error.message}`);
    throw error;
  }
}

/** Hashes the passwords of new users; plain passwords of existing users are ignored. @throws SeedError. */
async function hashNewPasswords(
  users: readonly SeedUser[],
  store: Store,
  hash: HashPassword,
): Promise<Map<SeedUser, string>> {
  const hashes = new Map<SeedUser, string>();
  for (const user of users) {
    if (user.password === undefined || (await findUser(store, user))) continue;
    const [weakness] = await describeViolations(user.password, user);
    if (weakness !== undefined)
      throw new SeedError(`users: the password of ${user.userId ?? user.userName} ${weakness}`);
    hashes.set(user, await hash(user.password));
  }
  return hashes;
}

async function findUser(reader: Pick<Transaction, 'users'> | Store, user: SeedUser): Promise<User | undefined> {
  if (user.userId !== undefined) return reader.users.get(user.userId);
  return user.userName === undefined ? undefined : reader.users.getBy('login', foldIdentifier(user.userName));
}

/** A missing owner would lock out the client or user. */
async function assertOwnersExist(
  tx: Transaction,
  what: string,
  { userId, businessId }: { userId?: string | undefined; businessId?: string | undefined },
): Promise<void> {
  if (userId !== undefined && !(await tx.users.get(userId)))
    throw new SeedError(`${what} refers to user ${userId}, which does not exist`);
  if (businessId !== undefined && !(await tx.businesses.get(businessId)))
    throw new SeedError(`${what} refers to business ${businessId}, which does not exist`);
}

async function applyUser(
  tx: Transaction,
  seed: SeedUser,
  { ids, clock }: SeedDeps,
  passwordHash?: string,
): Promise<void> {
  const { password: _plain, factors: _factors, certificates: _certificates, legacyLogons, ...others } = seed;
  const rest = { ...others, ...normalizeLogons(legacyLogons) };
  const known = await findUser(tx, seed);
  const identities = mergeIdentities(seed, known);
  await assertOwnersExist(tx, `users: ${seed.userId ?? seed.userName}`, { businessId: seed.businessId });
  const contacts = {
    ...(seed.userEmail === undefined ? {} : { emailVerified: true }),
    ...(seed.userMobile === undefined ? {} : { mobileVerified: true }),
  };
  if (known) {
    await clearMovedLogons(tx, known, { ...known, ...rest });
    if (rest.businessId !== undefined && rest.businessId !== known.businessId)
      await removeBusinessMemberships(tx, known);
    const isNewPassword = seed.passwordHash !== undefined && seed.passwordHash !== known.passwordHash;
    const before = isNewPassword ? withoutKnownSources(known) : known;
    const changed = { ...before, ...omitUndefined(rest), ...contacts, identities };
    const isProven = seed.userName !== undefined || isUserNameVerified(known);
    return replaceIfChanged(known, isProven ? withVerifiedName(changed) : changed, (row) => tx.users.replace(row));
  }
  await clearMovedLogons(tx, {}, rest);
  const userId = seed.userId ?? ids.newId();
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
  await tx.users.insert(seed.userName === undefined ? user : withVerifiedName(user));
}

async function applyUserFactors(tx: Transaction, seed: SeedUser, deps: SeedDeps): Promise<void> {
  const user = seed.factors && (await findUser(tx, seed));
  if (user) await applyFactors(tx, user, seed.factors ?? [], deps);
}

/** Login identifiers and certificates are one list in the row, but two in the seed; a missing one stays unchanged. */
function mergeIdentities({ identities, certificates }: SeedUser, known?: User): readonly string[] {
  const isCertificate = (name: string) => name.startsWith(certificatePrefix);
  const before = known?.identities ?? [];
  if (identities === undefined && certificates === undefined) return before;
  const names = identities ?? before.filter((name) => !isCertificate(name));
  return [...new Set([...names, ...(certificates?.map(formatCertificateIdentity) ?? before.filter(isCertificate))])];
}

async function applyClient(tx: Transaction, seed: SeedClient, { clock }: SeedDeps): Promise<void> {
  const { clientSecret, secretHash = clientSecret && hashSecret(clientSecret), authorities, ...rest } = seed;
  const fields = { ...omitUndefined(rest), ...(authorities ? { authorities: authorities.map(stripRolePrefix) } : {}) };
  const known = await tx.clients.get(seed.clientId);
  await assertOwnersExist(tx, `clients: ${seed.clientId}`, seed);
  if (seed.serviceAccountId !== undefined && known?.serviceAccountId !== seed.serviceAccountId)
    await reserveSubjectId(tx, { subject: seed.serviceAccountId, kind: 'service', ownerId: seed.clientId });
  if (known) return replaceIfChanged(known, { ...known, ...fields }, (row) => tx.clients.replace(row));
  await reserveSubjectId(tx, { subject: seed.clientId, kind: 'client', ownerId: seed.clientId });
  await tx.clients.insert({
    appId: seed.clientId,
    party: '1STPARTY',
    authorities: [],
    scope: [],
    grantTypes: ['client_credentials'],
    factorVisibility: 'CREDENTIALS_ONLY',
    ...fields,
    clientId: seed.clientId,
    ...(secretHash === undefined ? {} : { secretHash }),
    createdAt: clock.now().toISOString(),
  });
}

async function applyApiKey(tx: Transaction, seed: SeedApiKey, { ids, clock }: SeedDeps): Promise<void> {
  const { apiKey, keyHash = '', hint = '', ...fields } = seed;
  if (!(await tx.clients.get(seed.clientId))) throw new SeedError(`apiKeys: client ${seed.clientId} does not exist`);
  const keyFields = apiKey === undefined ? { keyHash, hint } : digestApiKey(apiKey);
  const known =
    (seed.apiKeyId === undefined ? undefined : await tx.apiKeys.get(seed.apiKeyId)) ??
    (await tx.apiKeys.getBy('keyHash', keyFields.keyHash));
  if (known)
    return replaceIfChanged(
      known,
      { ...known, ...omitUndefined(fields), ...keyFields, apiKeyId: known.apiKeyId },
      (row) => tx.apiKeys.replace(row),
    );
  await tx.apiKeys.insert({
    ...fields,
    ...keyFields,
    apiKeyId: seed.apiKeyId ?? ids.newId(),
    createdAt: clock.now().toISOString(),
  });
}
