/** Callers that may access only their own objects, with those objects. */
import { hashSecret } from '../../../src/server/lib/secrets.ts';
import { appClientId, type TestClient, type TestServer } from '../../harness.ts';
import { type TestUser, userToken } from '../../server/operations/user-token.ts';
import { decodePayload } from '../matrices/matrix-tokens.ts';
import { openGroup } from './object-access-fixture.ts';
import type { ObjectKind } from './object-parameters.ts';

export interface Owner {
  readonly name: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Query parameters: the client id. */
  readonly clientId?: string;
  /** Objects that the caller may name: its own, and those without an owner. */
  readonly own: Readonly<Partial<Record<ObjectKind, string>>>;
}

/** Objects that every caller may name. */
const common = {
  group: openGroup,
  'alias of a product': 'reports',
  'stock keeping unit': 'basic',
} as const;

/** Recreates all callers and their objects, so that one operation does not affect the next. */
export async function createOwners(server: TestServer): Promise<Owner[]> {
  const businessId = server.appContext.ids.newId();
  const business = { level: 'AUTH-MFA', businessId } as const;
  return [
    { name: 'unauthenticated', headers: [], own: common },
    { name: 'client, identified only', headers: [], clientId: appClientId, own: { ...common, client: appClientId } },
    await createUserOwner(server, 'user', { level: 'AUTH-MFA' }),
    await createUserOwner(server, 'user of a business', { ...business, roles: ['BUSINESSUSER'] }),
    await createUserOwner(server, 'administrator of a business', { ...business, roles: ['BUSINESSADMIN'] }),
    await createUserOwner(server, 'owner of a business', { ...business, roles: ['BUSINESSOWNER'] }),
    await createClientOwner(server, 'client', {}),
    await createClientOwner(server, 'client of a user', { authorities: ['AUTH-BASIC', 'PERSON'] }, 'userId'),
    await createClientOwner(
      server,
      'client of a business',
      { authorities: ['AUTH-BASIC', 'BUSINESSADMIN'] },
      'businessId',
    ),
    await createClientOwner(server, 'client of a third party', {
      party: '3RDPARTY',
      authorities: ['AUTH-BASIC', 'PERSON'],
    }),
  ];
}

async function createUserOwner(server: TestServer, name: string, user: TestUser): Promise<Owner> {
  const { store, ids, clock } = server.appContext;
  const token = await userToken(server, user);
  const userId = String(decodePayload(token).sub);
  const [factor, service] = [ids.newId(), ids.newId()];
  const owner = user.businessId === undefined ? { userId } : { businessId: user.businessId };
  const { clientId } = await server.makeClient({ ...owner, serviceAccountId: service });
  await store.transaction((tx) =>
    tx.factors.insert({
      factorId: factor,
      userId,
      contactType: 'EMAIL',
      email: `${factor}@example.org`,
      tags: [],
      verified: true,
      createdAt: clock.now().toISOString(),
    }),
  );
  const own = { ...common, user: userId, 'login name': `name-of-${userId}`, factor, client: clientId, service };
  return {
    name,
    headers: [['Authorization', `Bearer ${token}`]],
    own: user.businessId === undefined ? own : { ...own, business: user.businessId },
  };
}

/** Clients use API keys: user logins would treat a client secret as the password of a user. */
async function createClientOwner(
  server: TestServer,
  name: string,
  fields: TestClient,
  ownedBy?: 'userId' | 'businessId',
): Promise<Owner> {
  const { store, ids, clock } = server.appContext;
  const user = { userId: ids.newId(), ...(ownedBy === 'businessId' ? { businessId: ids.newId() } : {}) };
  if (ownedBy) await userToken(server, user);
  const owner = ownedBy === undefined ? {} : { [ownedBy]: user[ownedBy] };
  const service = ids.newId();
  const { clientId } = await server.makeClient({ ...fields, ...owner, serviceAccountId: service });
  const key = `api-key-of-the-client-under-test-${clientId}`;
  const row = { apiKeyId: ids.newId(), appId: 'conformance', clientId, hint: 'x', keyHash: hashSecret(key) };
  await store.transaction((tx) => tx.apiKeys.insert({ ...row, createdAt: clock.now().toISOString() }));
  const own = { ...common, client: clientId, service, user: user.userId };
  return {
    name,
    headers: [['X-Api-Key', key]],
    own: user.businessId === undefined ? own : { ...own, business: user.businessId },
  };
}
