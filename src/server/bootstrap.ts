/**
 * What a fresh store gets, so that somebody can begin: groups, an application client, an administrator user and an
 * administrator client. Secrets are random and told once, or given from outside and then applied at every start.
 */
import { administratorsGroup, makeGroups } from './bootstrap-groups.ts';
import { type Clock, epochSeconds } from './clock.ts';
import { withoutKnownSources } from './identity/known-sources.ts';
import { weaknessesOf } from './identity/password-rules.ts';
import { passwordHasher, passwordMatches } from './identity/passwords.ts';
import { hashSecret, secretMatches } from './identity/secrets.ts';
import { stopUser } from './identity/stop-user.ts';
import { claimSubject, retireSubject } from './identity/subjects.ts';
import type { Ids } from './ids.ts';
import { newSecret, type Randomness } from './randomness.ts';
import { SettingError, type Settings } from './settings.ts';
import type { Store, Transaction } from './store/store.ts';
import { type Client, foldIdentifier, type User } from './store/tables.ts';

/** What the start tells. A secret is there only where this start made it. */
export interface Bootstrapped {
  readonly adminClientId: string;
  readonly adminClientSecret?: string;
  readonly appClientId: string;
  readonly adminUser: string;
  readonly adminPassword?: string;
}

export interface BootstrapParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly randomness: Randomness;
  readonly settings: Settings;
}

const defaultUser = 'admin';
const administratorAuthorities = ['AUTH-BASIC', 'AUTH-MFA', 'ADMIN', 'IAM_ADMIN_MAINTENANCE', 'IAM_ADMIN_READ_ONLY'];

/** Brings the store to where somebody can administer it. Running it again changes nothing that was not asked for. */
export async function bootstrap(parts: BootstrapParts): Promise<Bootstrapped> {
  const { store, settings } = parts;
  const user = await store.users.getBy('bootstrap', 'admin');
  const client = await store.clients.getBy('bootstrap', 'admin');
  const clientSecret = await secretToSet(parts, client);
  const password = await passwordToSet(parts, user, client);
  const passwordHash = password === undefined ? undefined : await passwordHasher(settings.fastPasswords)(password);
  return store.transaction(async (tx) => {
    const fresh = client === undefined;
    if (fresh) await makeGroups(tx, { clock: parts.clock, idOf: () => parts.ids.newId() });
    const admin = await setAdminClient(tx, parts, clientSecret);
    const app = await setAppClient(tx, parts);
    const person = await setAdminUser(tx, parts, passwordHash);
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

/** The client secret that this start has to set: a given one that is not set yet, or a new one where there is none. */
async function secretToSet(
  { settings, randomness }: BootstrapParts,
  client: Client | undefined,
): Promise<string | undefined> {
  const given = settings.adminClientSecret;
  if (given !== undefined) return secretMatches(given, client?.secretHash) ? undefined : given;
  return client === undefined || settings.resetAdmin ? newSecret(randomness) : undefined;
}

async function passwordToSet(
  { settings, randomness }: BootstrapParts,
  user: User | undefined,
  client: Client | undefined,
): Promise<string | undefined> {
  const given = settings.adminPassword;
  if (given !== undefined) {
    if (await passwordMatches(given, user?.passwordHash ?? '')) return undefined;
    await requireGoodSetting(given, settings, user);
    return given;
  }
  return client === undefined || settings.resetAdmin ? newSecret(randomness) : undefined;
}

/** @throws SettingError naming each rule that the password breaks. */
async function requireGoodSetting(password: string, settings: Settings, user: User | undefined): Promise<void> {
  const weaknesses = await weaknessesOf(password, {
    userName: settings.adminUser ?? user?.userName ?? defaultUser,
    userEmail: givenEmail(settings) ?? user?.userEmail,
  });
  if (weaknesses.length > 0) throw new SettingError(`IAM_ADMIN_PASSWORD ${weaknesses.join(', and ')}`);
}

async function setAdminClient(tx: Transaction, parts: BootstrapParts, secret: string | undefined): Promise<Client> {
  const client = await requireClient(tx, parts, 'admin', parts.settings.adminClientId);
  if (secret === undefined) return client;
  // Tokens count in seconds: from the next one on, so that those of this second end as well.
  const tokensValidFrom = epochSeconds(parts.clock) + 1;
  const changed = { ...client, secretHash: hashSecret(secret), ...(client.secretHash ? { tokensValidFrom } : {}) };
  await tx.clients.replace(changed);
  return changed;
}

async function setAppClient(tx: Transaction, parts: BootstrapParts): Promise<Client> {
  return requireClient(tx, parts, 'app', parts.settings.appClientId);
}

/** The bootstrap client of this kind under the id that is asked for; made, or put in the place of the one before. */
async function requireClient(
  tx: Transaction,
  parts: BootstrapParts,
  kind: 'admin' | 'app',
  asked?: string,
): Promise<Client> {
  const client = await tx.clients.getBy('bootstrap', kind);
  if (client && (asked === undefined || asked === client.clientId)) return client;
  if (client) {
    await tx.clients.delete(client.clientId);
    await retireSubject(tx, client.clientId);
  }
  const clientId = asked ?? parts.ids.newId();
  if (await tx.subjects.get(clientId)) throw taken(kind === 'admin' ? 'IAM_ADMIN_CLIENT_ID' : 'IAM_APP_CLIENT_ID');
  const made = { ...(client ?? newClient(kind)), clientId, createdAt: parts.clock.now().toISOString() };
  await claimSubject(tx, { subject: clientId, kind: 'client', ownerId: clientId });
  await tx.clients.insert(made);
  return made;
}

/** Names of logins and clients are given out once; a given one that somebody else has, or had, is a setting to change. */
function taken(variable: string): SettingError {
  return new SettingError(
    `${variable} names an id or a login that is in use in this store, or was once: choose another`,
  );
}

/** A client of a first start, without its name and its secret. */
export function newClient(kind: 'admin' | 'app'): Omit<Client, 'clientId' | 'createdAt'> {
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
    grantTypes: ['password', 'refresh_token'],
    factorVisibility: 'UNRESTRICTED',
  };
}

/** Undefined where somebody removed the administrator user and nothing asks for a new one. */
async function setAdminUser(
  tx: Transaction,
  parts: BootstrapParts,
  passwordHash: string | undefined,
): Promise<User | undefined> {
  const user = await tx.users.getBy('bootstrap', 'admin');
  if (!user) return passwordHash === undefined ? undefined : makeAdminUser(tx, parts, passwordHash);
  const { adminUser } = parts.settings;
  const userEmail = givenEmail(parts.settings);
  const changed = {
    ...(passwordHash === undefined ? user : { ...withoutKnownSources(user), passwordHash }),
    ...(adminUser === undefined ? {} : { userName: adminUser }),
    ...(userEmail === undefined ? {} : { userEmail, emailVerified: true }),
  };
  await requireFreeNames(tx, changed);
  if (passwordHash !== undefined) await stopUser(tx, user.userId);
  if (JSON.stringify(changed) !== JSON.stringify(user)) await tx.users.replace(changed);
  return changed;
}

function givenEmail({ adminEmail, adminUser }: Settings): string | undefined {
  return adminEmail ?? (adminUser?.includes('@') ? adminUser : undefined);
}

async function requireFreeNames(tx: Transaction, user: User): Promise<void> {
  for (const [variable, name] of [
    ['IAM_ADMIN_USER', user.userName],
    ['IAM_ADMIN_EMAIL', user.userEmail],
  ] as const) {
    const holder = name === undefined ? undefined : await tx.users.getBy('login', foldIdentifier(name));
    if (holder && holder.userId !== user.userId) throw taken(variable);
  }
}

/** What the administrator user of a first start is, besides its names. */
export const newAdminUser = {
  emailVerified: true,
  mobileVerified: false,
  lead: false,
  locked: false,
  identities: [],
  bootstrap: 'admin',
} as const;

async function makeAdminUser(
  tx: Transaction,
  { settings, ids, clock }: BootstrapParts,
  passwordHash: string,
): Promise<User> {
  const userName = settings.adminUser ?? defaultUser;
  const userId = ids.newId();
  const user: User = {
    userId,
    userName,
    passwordHash,
    userEmail: givenEmail(settings) ?? 'admin@example.com',
    ...newAdminUser,
    createdAt: clock.now().toISOString(),
  };
  await requireFreeNames(tx, user);
  await insertAdminUser(tx, user);
  return user;
}

export async function insertAdminUser(tx: Transaction, user: User): Promise<void> {
  const { userId } = user;
  await claimSubject(tx, { subject: userId, kind: 'user', ownerId: userId });
  await tx.users.insert(user);
  const administrators = await tx.groups.getBy('groupName', administratorsGroup);
  if (administrators) await tx.memberships.insert({ groupId: administrators.groupId, kind: 'user', memberId: userId });
}
