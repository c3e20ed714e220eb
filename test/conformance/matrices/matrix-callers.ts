/**
 * Creates every kind of caller on one server. The roles that the rules of the interface grant to each are declared here
 * and not read from the server.
 */
import { basicAuthorization } from '../../../src/client/index.ts';
import type { AuthenticationLevel } from '../../../src/server/directory/authentication-levels.ts';
import { hashSecret } from '../../../src/server/lib/secrets.ts';
import { membershipKey, memberValue } from '../../../src/server/store/tables.ts';
import { appClientId, type TestClient, type TestServer } from '../../harness.ts';
import { type TestUser, userToken } from '../../server/operations/user-token.ts';
import { createInvalidTokens, decodePayload } from './matrix-tokens.ts';

/** Why the caller is unauthenticated. */
export type RejectionCode = 'CREDENTIALS_MISSING' | 'CREDENTIALS_INVALID' | 'TOKEN_INVALID' | 'CREDENTIALS_AMBIGUOUS';

export interface Caller {
  readonly name: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Query parameters: the client id. */
  readonly clientId?: string;
  /** The subject that the server must log for the request. */
  readonly subject: string;
  readonly grant: RejectionCode | { readonly roles: readonly string[]; readonly scope: readonly string[] };
}

const identifiedRoles = {
  first: ['CLI-AUTH-IDENTIFIED', 'CLI-1STPARTY'],
  third: ['CLI-AUTH-IDENTIFIED', 'CLI-3RDPARTY'],
};
const authenticatedRoles = {
  first: [...identifiedRoles.first, 'CLI-AUTH-BASIC'],
  third: [...identifiedRoles.third, 'CLI-AUTH-BASIC'],
};
const levelRoles: Readonly<Record<AuthenticationLevel, readonly string[]>> = {
  NONE: [],
  'AUTH-IDENTIFIED': ['AUTH-IDENTIFIED'],
  'AUTH-BASIC': ['AUTH-IDENTIFIED', 'AUTH-BASIC'],
  'AUTH-MFA': ['AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA'],
};
const administrative = ['ADMIN', 'IAM_ADMIN_MAINTENANCE', 'IAM_ADMIN_READ_ONLY'];
const ofBusiness = ['BUSINESSOWNER', 'BUSINESSADMIN', 'BUSINESSUSER'];
const everything = ['AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA', 'USER', 'PERSON', ...administrative, ...ofBusiness];

/** All kinds of callers; the same names and the same order on every server. */
export async function createCallers(server: TestServer): Promise<Caller[]> {
  return [
    { name: 'unauthenticated', headers: [], subject: 'anonymous', grant: 'CREDENTIALS_MISSING' },
    ...(await createIdentifiedClients(server)),
    ...(await createAuthenticatedClients(server)),
    ...(await createUsers(server)),
    ...(await createRejectedCallers(server)),
  ];
}

const bearer = (token: string) => [['Authorization', `Bearer ${token}`]] as const;
const basic = (pair: { clientId: string; clientSecret: string }) =>
  [['Authorization', basicAuthorization(pair)]] as const;

/** Clients that send only their id. The authorities of an authenticated client do not apply to them. */
async function createIdentifiedClients({ makeClient }: TestServer): Promise<Caller[]> {
  const { clientId: first } = await makeClient({ authorities: everything, scope: ['account_lock', 'account_unlock'] });
  const { clientId: third } = await makeClient({ party: '3RDPARTY', authorities: everything });
  const identified = (name: string, clientId: string, roles: readonly string[], scope: readonly string[]): Caller => ({
    name: `client, identified only: ${name}`,
    headers: [],
    clientId,
    subject: clientId,
    grant: { roles, scope },
  });
  return [
    identified('first party', appClientId, identifiedRoles.first, ['READ', 'WRITE']),
    identified('first party, all roles when authenticated', first, identifiedRoles.first, [
      'account_lock',
      'account_unlock',
    ]),
    identified('third party', third, identifiedRoles.third, []),
    {
      name: 'client, identified only: unknown client',
      headers: [],
      clientId: 'unknown-client',
      subject: 'anonymous',
      grant: 'CREDENTIALS_INVALID',
    },
  ];
}

async function createAuthenticatedClients(server: TestServer): Promise<Caller[]> {
  const { makeClient, as } = server;
  const create = async (name: string, roles: readonly string[], fields: TestClient = {}): Promise<Caller> => {
    const pair = await makeClient({ ...fields, authorities: [...(fields.authorities ?? [])] });
    return {
      name: `client: ${name}`,
      headers: basic(pair),
      subject: pair.clientId,
      grant: { roles, scope: fields.scope ?? [] },
    };
  };
  const withRoles = (authorities: string[]) =>
    create(authorities.join(', '), [...authenticatedRoles.first, ...authorities], { authorities });
  const strong = await makeClient({ authorities: everything });
  const { accessToken } = await as(strong).clientIdentities.login();
  const key = 'key-of-the-matrix-that-is-long-enough-to-be-one';
  await insertKey(server, 'matrix-key', key, strong.clientId);
  await insertServiceGroup(server, 'matrix-service');
  const all = { roles: [...authenticatedRoles.first, ...everything], scope: [] };
  return [
    await create('first party, no authorities', authenticatedRoles.first),
    await create('third party, all authorities', [...authenticatedRoles.third, ...everything], {
      party: '3RDPARTY',
      authorities: everything,
    }),
    await create('scope to lock and to unlock', authenticatedRoles.first, {
      scope: ['account_lock', 'account_unlock'],
    }),
    await create('service in a group of auditors', [...authenticatedRoles.first, 'AUTH-BASIC', 'IAM_ADMIN_READ_ONLY'], {
      serviceAccountId: 'matrix-service',
    }),
    await withRoles(['AUTH-BASIC']),
    ...(await Promise.all([...administrative, ...ofBusiness].map((role) => withRoles(['AUTH-BASIC', role])))),
    await withRoles(['AUTH-MFA', 'ADMIN']),
    await withRoles(['AUTH-BASIC', 'PERSON', 'BUSINESS']),
    { name: 'client: everything, by API key', headers: [['X-Api-Key', key]], subject: strong.clientId, grant: all },
    {
      name: 'client: everything, by an access token',
      headers: bearer(accessToken),
      subject: strong.clientId,
      grant: all,
    },
  ];
}

async function insertServiceGroup({ appContext }: TestServer, memberId: string): Promise<void> {
  const row = { groupName: 'matrix-services', roles: ['IAM_ADMIN_READ_ONLY'], dependencies: [] };
  const groupId = appContext.ids.newId();
  await appContext.store.transaction(async (tx) => {
    await tx.groups.insert({ ...row, groupId, createdAt: appContext.clock.now().toISOString() });
    await tx.memberships.insert({ groupId, kind: 'service', memberId });
  });
}

export async function insertKey(
  { appContext }: TestServer,
  apiKeyId: string,
  key: string,
  clientId: string,
): Promise<void> {
  const row = {
    apiKeyId,
    appId: 'matrix',
    clientId,
    hint: 'x',
    keyHash: hashSecret(key),
    createdAt: appContext.clock.now().toISOString(),
  };
  await appContext.store.transaction((tx) => tx.apiKeys.insert(row));
}

async function createUsers(server: TestServer): Promise<Caller[]> {
  const create = async (
    name: string,
    user: TestUser,
    party: readonly string[] = identifiedRoles.first,
  ): Promise<Caller> => {
    const { level = 'AUTH-BASIC', lead, businessId, roles = [] } = user;
    const kind = [...(lead ? [] : ['USER']), businessId === undefined ? 'PERSON' : 'BUSINESS'];
    const token = await userToken(server, { ...user, level });
    const ofUser = level === 'NONE' ? [] : [...levelRoles[level], ...kind, ...roles];
    const scope = decodePayload(token).scope as string[];
    return {
      name: `user: ${name}`,
      headers: bearer(token),
      subject: String(decodePayload(token).sub),
      grant: { roles: [...party, ...ofUser], scope },
    };
  };
  const third = await server.makeClient({ party: '3RDPARTY' });
  const strong = await server.makeClient({ authorities: everything, scope: ['account_lock', 'account_unlock'] });
  const roles = [...administrative, ...ofBusiness];
  const levelled = (Object.keys(levelRoles) as AuthenticationLevel[]).map((level) =>
    create(`level ${level}`, { level }),
  );
  return Promise.all([
    ...levelled,
    ...(Object.keys(levelRoles) as AuthenticationLevel[]).map((level) =>
      create(`level ${level}, all roles`, { level, roles }),
    ),
    ...roles.map((role) => create(`AUTH-BASIC, ${role}`, { roles: [role] })),
    create('AUTH-BASIC, of a business', { businessId: 'acme' }),
    create('AUTH-BASIC, owner of a business', { businessId: 'acme', roles: ['BUSINESSOWNER'] }),
    create('AUTH-BASIC, lead', { lead: true }),
    create(
      'AUTH-MFA, all roles, through a third-party client',
      { level: 'AUTH-MFA', roles, clientId: third.clientId },
      identifiedRoles.third,
    ),
    create('AUTH-BASIC, through a client with all roles', { clientId: strong.clientId }),
    demoteUser(
      server,
      await create('AUTH-BASIC, administrator role removed after login', { roles: ['IAM_ADMIN_MAINTENANCE'] }),
    ),
  ]);
}

/** Removes a role from the store that the token still contains. */
async function demoteUser({ appContext }: TestServer, caller: Caller): Promise<Caller> {
  if (typeof caller.grant === 'string') throw new Error('expected a user');
  await appContext.store.transaction(async (tx) => {
    for (const row of await tx.memberships.find('member', memberValue({ kind: 'user', memberId: caller.subject })))
      await tx.memberships.delete(membershipKey(row));
  });
  return {
    ...caller,
    grant: { ...caller.grant, roles: caller.grant.roles.filter((role) => role !== 'IAM_ADMIN_MAINTENANCE') },
  };
}

/** Callers with invalid or expired credentials. */
async function createRejectedCallers(server: TestServer): Promise<Caller[]> {
  const { appContext, makeClient } = server;
  const strong: TestUser = { level: 'AUTH-MFA', roles: administrative };
  const createRejectedCaller = (name: string, headers: Caller['headers'], grant: RejectionCode): Caller => ({
    name,
    headers,
    subject: 'anonymous',
    grant,
  });
  const withToken = (name: string, token: string) =>
    createRejectedCaller(`token ${name}`, bearer(token), 'TOKEN_INVALID');
  const invalidTokens = await createInvalidTokens(server, await userToken(server, strong));
  const [locked, removed, ended] = await Promise.all([strong, strong, strong].map((user) => userToken(server, user)));
  await changeUser(server, locked, async (tx, user) => tx.users.replace({ ...user, locked: true }));
  await changeUser(server, removed, async (tx, user) => tx.users.delete(user.userId));
  const { sid } = decodePayload(ended ?? '');
  await appContext.store.transaction((tx) => tx.sessions.delete(String(sid)));
  const removedClient = await makeClient({ authorities: everything });
  const { accessToken } = await server.as(removedClient).clientIdentities.login();
  await appContext.store.transaction((tx) => tx.clients.delete(removedClient.clientId));
  const revoked = await server.as(await makeClient({ authorities: everything })).clientIdentities.login();
  const { jti, exp } = decodePayload(revoked.accessToken);
  await appContext.store.transaction((tx) => tx.revokedTokens.insert({ tokenId: String(jti), expiresAt: Number(exp) }));
  const owned = await makeClient({ authorities: everything, userId: String(decodePayload(locked ?? '').sub) });
  await insertKey(server, 'matrix-owned', 'key-of-a-client-whose-owner-is-locked-for-now', owned.clientId);
  const known = await makeClient({ authorities: everything });
  return [
    ...Object.entries(invalidTokens).map(([name, token]) => withToken(name, token)),
    withToken('of a user locked after login', locked ?? ''),
    withToken('of a user removed after login', removed ?? ''),
    withToken('of an ended session', ended ?? ''),
    withToken('of a client removed after login', accessToken),
    withToken('that was revoked', revoked.accessToken),
    createRejectedCaller('client: owner is locked', basic(owned), 'CREDENTIALS_INVALID'),
    createRejectedCaller(
      'client: owner is locked, by API key',
      [['X-Api-Key', 'key-of-a-client-whose-owner-is-locked-for-now']],
      'CREDENTIALS_INVALID',
    ),
    createRejectedCaller(
      'unknown client',
      basic({ clientId: 'unknown', clientSecret: 'nothing' }),
      'CREDENTIALS_INVALID',
    ),
    createRejectedCaller('client: wrong secret', basic({ ...known, clientSecret: 'wrong' }), 'CREDENTIALS_INVALID'),
    withToken('that is malformed', 'not.a.token'),
    createRejectedCaller(
      'an API key and a token',
      [
        ['X-Api-Key', 'one'],
        ['Authorization', 'Bearer two'],
      ],
      'CREDENTIALS_AMBIGUOUS',
    ),
    createRejectedCaller('unknown API key', [['X-Api-Key', 'unknown-key']], 'CREDENTIALS_INVALID'),
    createRejectedCaller(
      'client: without a secret, empty secret sent',
      basic({ clientId: appClientId, clientSecret: '' }),
      'CREDENTIALS_INVALID',
    ),
    createRejectedCaller(
      'client: with a secret and an API key',
      [...basic(known), ['X-Api-Key', 'any']],
      'CREDENTIALS_AMBIGUOUS',
    ),
  ];
}

type Transaction = Parameters<Parameters<TestServer['appContext']['store']['transaction']>[0]>[0];
type UserRow = NonNullable<Awaited<ReturnType<Transaction['users']['get']>>>;

async function changeUser(
  { appContext }: TestServer,
  token = '',
  to: (tx: Transaction, user: UserRow) => Promise<unknown>,
): Promise<void> {
  await appContext.store.transaction(async (tx) => {
    const user = await tx.users.get(String(decodePayload(token).sub));
    if (!user) throw new Error('the user of the token does not exist');
    await to(tx, user);
  });
}
