/**
 * Bootstraps a new store: groups, an application client, an administrator user and an administrator client. Secrets are
 * random and printed once, or configured and then applied at every start.
 */

import {
  describeEmailProblem,
  describeOtherAtSign,
  hasSingleLabelHost,
  normalizeEmail,
} from '../contract/email/email-address.ts';
import { singleLabelMessage } from '../contract/email/single-label-hosts.ts';
import { loginGrantTypes } from '../contract/grant-types.ts';
import { describeInvisible, toVisibleName } from '../contract/visible-names.ts';
import { foldIdentifier } from '../lib/fold-identifier.ts';
import { removeClient } from './auth/remove-client.ts';
import { revokeUserAccess } from './auth/revoke-user-access.ts';
import { administratorsGroupName, createBootstrapGroups } from './bootstrap-groups.ts';
import { hasTestFeatures, SettingError, type Settings } from './config/settings.ts';
import { withoutOverlap } from './directory/replaced-secrets.ts';
import { isSubjectUsed, reserveSubjectId } from './directory/subject-ids.ts';
import type { Clock } from './lib/clock.ts';
import type { Ids } from './lib/ids.ts';
import { normalizePassword } from './lib/password-length.ts';
import { generateSecret, type Random } from './lib/random.ts';
import { hashSecret, secretMatches } from './lib/secrets.ts';
import type { SeedDocument } from './seed/schema.ts';
import { withoutConsents } from './sessions/consents.ts';
import { withoutKnownSources } from './sessions/known-sources.ts';
import type { Store, Transaction } from './store/store.ts';
import type { Client, User } from './store/tables.ts';
import { describeViolations } from './users/password-policy.ts';
import { createPasswordHasher, type HashPassword, listSpellings, verifyPasswordHash } from './users/passwords.ts';
import { findUserByLogin } from './users/users.ts';

/** The result of a start. It contains only secrets that this start generated. */
export interface BootstrapResult {
  readonly adminClientId: string;
  readonly adminClientSecret?: string;
  readonly appClientId: string;
  readonly adminUser: string;
  readonly adminPassword?: string;
}

export interface BootstrapDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly settings: Settings;
  /** The first administrator gets another name and address than its users, unless they are configured. */
  readonly seed?: SeedDocument | undefined;
  /** Default: hashes without the queue, for the start. */
  readonly hash?: HashPassword | undefined;
}

const defaultUser = 'admin';
const administratorAuthorities = ['AUTH-BASIC', 'AUTH-MFA', 'ADMIN', 'IAM_ADMIN_MAINTENANCE', 'IAM_ADMIN_READ_ONLY'];

/** Ensures that the store has an administrator. Idempotent, except for changed settings. */
export async function bootstrap(deps: BootstrapDeps): Promise<BootstrapResult> {
  const { store, settings } = deps;
  const user = await store.users.getBy('bootstrap', 'admin');
  const client = await store.clients.getBy('bootstrap', 'admin');
  const clientSecret = await resolveClientSecret(deps, client);
  const password = await resolvePassword(deps, user, client);
  const { hash = createPasswordHasher(settings.fastPasswords) } = deps;
  const passwordHash = password === undefined ? undefined : await hash(normalizePassword(password));
  return store.transaction(async (tx) => {
    const fresh = client === undefined;
    if (fresh) await createBootstrapGroups(tx, { clock: deps.clock, createId: () => deps.ids.newId() });
    const admin = await ensureAdminClient(tx, deps, clientSecret);
    const app = await ensureClient(tx, deps, 'app', settings.appClientId);
    const person = await ensureAdminUser(tx, deps, passwordHash);
    return {
      adminClientId: admin.clientId,
      ...(clientSecret !== undefined && settings.adminClientSecret === undefined
        ? { adminClientSecret: clientSecret }
        : {}),
      appClientId: app.clientId,
      adminUser: person?.userName ?? '',
      ...(password !== undefined && settings.adminPassword === undefined ? { adminPassword: password } : {}),
    };
  });
}

/** The client secret to set at this start: a changed configured one, or a generated one; undefined to keep the current one. */
async function resolveClientSecret(
  { settings, random }: BootstrapDeps,
  client: Client | undefined,
): Promise<string | undefined> {
  const configured = settings.adminClientSecret;
  if (configured !== undefined) return secretMatches(configured, client?.secretHash) ? undefined : configured;
  return client === undefined || settings.resetAdmin ? generateSecret(random) : undefined;
}

async function resolvePassword(
  { settings, random }: BootstrapDeps,
  user: User | undefined,
  client: Client | undefined,
): Promise<string | undefined> {
  const configured = settings.adminPassword;
  if (configured !== undefined) {
    for (const spelling of listSpellings(configured))
      if (await verifyPasswordHash(spelling, user?.passwordHash ?? '')) return undefined;
    await assertPasswordSetting(configured, settings, user);
    return configured;
  }
  return client === undefined || settings.resetAdmin ? generateSecret(random) : undefined;
}

/** @throws SettingError naming each rule that the password breaks. */
async function assertPasswordSetting(password: string, settings: Settings, user: User | undefined): Promise<void> {
  const weaknesses = await describeViolations(password, {
    userName: settings.adminUser ?? user?.userName ?? defaultUser,
    userEmail: resolveAdminEmail(settings) ?? user?.userEmail,
  });
  if (weaknesses.length > 0) throw new SettingError(`IAM_ADMIN_PASSWORD ${weaknesses.join(', and ')}`);
}

async function ensureAdminClient(tx: Transaction, deps: BootstrapDeps, secret: string | undefined): Promise<Client> {
  const client = await ensureClient(tx, deps, 'admin', deps.settings.adminClientId);
  if (secret === undefined) return client;
  const tokenGeneration = (client.tokenGeneration ?? 0) + 1;
  const changed = {
    ...withoutOverlap(client),
    secretHash: hashSecret(secret),
    ...(client.secretHash ? { tokenGeneration } : {}),
  };
  await tx.clients.replace(changed);
  return changed;
}

/** Ensures that the bootstrap client of this kind exists with the requested id; replaces one with another id. */
async function ensureClient(
  tx: Transaction,
  deps: BootstrapDeps,
  kind: 'admin' | 'app',
  requestedId?: string,
): Promise<Client> {
  const client = await tx.clients.getBy('bootstrap', kind);
  if (client && (requestedId === undefined || requestedId === client.clientId)) return client;
  if (client) await removeClient(tx, client);
  const clientId = requestedId ?? deps.ids.newId();
  if (await isSubjectUsed(tx, clientId))
    throw createNameTakenError(kind === 'admin' ? 'IAM_ADMIN_CLIENT_ID' : 'IAM_APP_CLIENT_ID');
  const created = { ...(client ?? createBootstrapClient(kind)), clientId, createdAt: deps.clock.now().toISOString() };
  await reserveSubjectId(tx, { subject: clientId, kind: 'client', ownerId: clientId });
  await tx.clients.insert(created);
  return created;
}

/** Login names and client ids are never reused, so a configured one that is or was in use must be changed. */
function createNameTakenError(variable: string): SettingError {
  return new SettingError(
    `${variable} is set to an id or login name that is, or was, in use in this store: choose another one`,
  );
}

/** The fields of a bootstrap client, except its id and secret. */
export function createBootstrapClient(kind: 'admin' | 'app'): Omit<Client, 'clientId' | 'createdAt'> {
  const common = { party: '1STPARTY', bootstrap: kind, appId: kind === 'admin' ? 'iam-admin' : 'iam-app' } as const;
  if (kind === 'admin')
    return {
      ...common,
      authorities: administratorAuthorities,
      scope: ['READ', 'WRITE'],
      grantTypes: ['client_credentials'],
      factorVisibility: 'CREDENTIALS_ONLY',
    };
  return {
    ...common,
    authorities: [],
    scope: ['READ', 'WRITE'],
    grantTypes: ['password', 'refresh_token', ...loginGrantTypes],
    // Of `iam login --web`, with any port.
    redirectURI: 'http://127.0.0.1/callback',
    // Its first login need not wait for an RSA key.
    idTokenAlg: 'ES256',
    factorVisibility: 'UNRESTRICTED',
  };
}

/** @returns undefined if the administrator user was deleted and no new password is set. */
async function ensureAdminUser(
  tx: Transaction,
  deps: BootstrapDeps,
  passwordHash: string | undefined,
): Promise<User | undefined> {
  const user = await tx.users.getBy('bootstrap', 'admin');
  if (!user) return passwordHash === undefined ? undefined : createAdminUser(tx, deps, passwordHash);
  const { adminUser } = deps.settings;
  const userEmail = readAdminEmail(deps.settings, user);
  const changed = {
    ...(passwordHash === undefined ? user : { ...withoutConsents(withoutKnownSources(user)), passwordHash }),
    ...(adminUser === undefined ? {} : { userName: readAdminName(adminUser, user) }),
    ...(userEmail === undefined ? {} : { userEmail, emailVerified: true }),
  };
  await assertNamesAvailable(tx, changed);
  if (passwordHash !== undefined) await revokeUserAccess(tx, user.userId);
  if (JSON.stringify(changed) !== JSON.stringify(user)) await tx.users.replace(changed);
  return changed;
}

/** @throws SettingError for a new name that no user can have. */
function readAdminName(name: string, user?: User): string {
  const normalized = normalizeEmail(name);
  const violation =
    user?.userName === name ? undefined : (describeInvisible(normalized) ?? describeOtherAtSign(normalized));
  if (violation !== undefined) throw new SettingError(`IAM_ADMIN_USER ${violation}`);
  return user?.userName === name ? name : normalized;
}

function resolveAdminEmail({ adminEmail, adminUser }: Settings): string | undefined {
  return adminEmail ?? (adminUser?.includes('@') ? adminUser : undefined);
}

/** @throws SettingError for a new address that is not valid. */
function readAdminEmail(settings: Settings, user?: User): string | undefined {
  const email = resolveAdminEmail(settings);
  const normalized = email && normalizeEmail(email);
  for (const same of [email, normalized]) if (same === undefined || same === user?.userEmail) return same;
  const problem = describeEmailProblem(normalized ?? '') ?? describeHost(normalized ?? '', settings);
  const variable = settings.adminEmail === undefined ? 'IAM_ADMIN_USER' : 'IAM_ADMIN_EMAIL';
  if (problem !== undefined) throw new SettingError(`${variable} ${problem}`);
  return normalized;
}

function describeHost(email: string, settings: Settings): string | undefined {
  return hasSingleLabelHost(email) && !hasTestFeatures(settings) ? singleLabelMessage : undefined;
}

async function assertNamesAvailable(tx: Transaction, user: User): Promise<void> {
  for (const [variable, name] of [
    ['IAM_ADMIN_USER', user.userName],
    ['IAM_ADMIN_EMAIL', user.userEmail],
  ] as const) {
    const owner = name === undefined ? undefined : await findUserByLogin(tx, name);
    if (owner && owner.userId !== user.userId) throw createNameTakenError(variable);
  }
}

/** The fields of the administrator user, except its names. */
export const adminUserDefaults = {
  emailVerified: true,
  mobileVerified: false,
  lead: false,
  locked: false,
  identities: [],
  bootstrap: 'admin',
} as const;

async function createAdminUser(
  tx: Transaction,
  { settings, ids, clock, seed }: BootstrapDeps,
  passwordHash: string,
): Promise<User> {
  const defaults = findFreeNames(seed);
  const userName = readAdminName(settings.adminUser ?? defaults.userName);
  const userId = ids.newId();
  const user: User = {
    userId,
    userName,
    passwordHash,
    userEmail: readAdminEmail(settings) ?? defaults.userEmail,
    ...adminUserDefaults,
    createdAt: clock.now().toISOString(),
  };
  await assertNamesAvailable(tx, user);
  await insertAdminUser(tx, user);
  return user;
}

/** A user of a seed that has no id and the default name is this administrator. */
function findFreeNames({ users = [] }: SeedDocument = {}): { userName: string; userEmail: string } {
  const taken = new Set<string>();
  for (const { userId, userName, userEmail, identities = [] } of users)
    if (userId !== undefined || userName !== defaultUser)
      for (const name of [userId, userName, userEmail, ...identities])
        if (name !== undefined) taken.add(foldIdentifier(toVisibleName(name)));
  for (let number = 0; ; number += 1) {
    const userName = number === 0 ? defaultUser : `iam-${defaultUser}${number === 1 ? '' : `-${number}`}`;
    const userEmail = `${userName}@example.com`;
    if (!taken.has(userName) && !taken.has(userEmail)) return { userName, userEmail };
  }
}

export async function insertAdminUser(tx: Transaction, user: User): Promise<void> {
  const { userId } = user;
  await reserveSubjectId(tx, { subject: userId, kind: 'user', ownerId: userId });
  await tx.users.insert(user);
  const administrators = await tx.groups.getBy('groupName', administratorsGroupName);
  if (administrators) await tx.memberships.insert({ groupId: administrators.groupId, kind: 'user', memberId: userId });
}
