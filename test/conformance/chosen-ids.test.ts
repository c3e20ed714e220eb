/**
 * Every operation that creates an object with a chosen id, by every kind of caller and with every kind of id: only
 * administrators and authenticated first-party clients choose ids, and a rejected request leaves the store unchanged. The
 * fields come from the schemas, and the expected outcomes from the roles of the caller.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manifest } from '../../src/contract/manifest.ts';
import type { JsonSchema } from '../../src/contract/manifest-types.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { servicePrefix } from '../../src/contract/prefix.ts';
import { type OperationId, operations } from '../../src/server/operations/index.ts';
import { appClientId, startServer, type TestServer } from '../harness.ts';
import { type Caller, createCallers } from './matrices/matrix-callers.ts';
import { evaluateRoles } from './matrices/matrix-outcomes.ts';

interface IdField {
  readonly at: string;
  readonly schema: JsonSchema;
}

function listFields(schema: JsonSchema | undefined, at: string): IdField[] {
  if (!schema) return [];
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, one]) => listFields(one, `${at}.${name}`));
  return [{ at, schema }, ...inside, ...(schema.items ? listFields(schema.items, at) : [])];
}

const isDefinedId = ({ schema }: IdField) => ['id', 'serviceAccount'].includes(schema['x-defines']?.by ?? '');
const bodyFields = manifest.operations.flatMap(({ id, body }) => listFields(body, id));

let count = 0;
const newName = () => `name-${++count}`;

/** A request that creates an object with this id. */
const requests: Partial<Record<OperationId, (id: string) => { readonly body: unknown; readonly path?: string }>> = {
  'user-identities.create': (userId) => {
    const userName = newName();
    return { body: { userId, userName, userEmail: `${userName}@example.com` } };
  },
  'client-identities.create': (serviceAccountId) => ({ body: { appId: 'walk', serviceAccountId } }),
  'my-client-identities.create': (serviceAccountId) => ({ body: { appId: 'walk', serviceAccountId } }),
  'customers.create-business': (businessId) => ({ body: { businessId, businessName: 'Walk', document: newName() } }),
  'user-identities.factors.admin-add': (id) => ({
    // A user has a limited number of factors.
    path: `/user-identities/walked-${++count % 20}/authentication-factors`,
    body: { authenticationFactors: [{ id, contactType: 'EMAIL', email: `${newName()}@example.com` }] },
  }),
};

test('every field of a body that accepts the form of ids refers to an object or defines one', () => {
  const pattern = '[A-Za-z0-9._:@-]{1,64}';
  const undeclared = bodyFields.filter(
    ({ schema }) => schema.pattern?.includes(pattern) && !schema['x-reference'] && !schema['x-defines'],
  );
  // Products belong to an external system.
  expect(undeclared.map(({ at }) => at)).toEqual(['product-accesses.authorize.productId']);
});

test('every operation with a chosen id has a request here', () => {
  const ids = bodyFields.filter(isDefinedId).map(({ at }) => at.slice(0, at.lastIndexOf('.')));
  expect(Object.keys(requests).sort()).toEqual(
    [...new Set(ids)].map((at) => at.replace(/\.authenticationFactors$/, '')).sort(),
  );
});

interface Kind {
  /** An unused id of this kind. */
  create(ownerId: string): string;
  /** Whether only administrators choose it for a user, and for other objects. */
  readonly needsAdministrator?: 'user' | 'all';
  readonly isOwn?: true;
}

const kinds: Readonly<Record<string, Kind>> = {
  'a plain id': { create: () => `chosen-${++count}` },
  'an id in the form of an e-mail address': { create: () => `ceo-${++count}@corp.test`, needsAdministrator: 'user' },
  'an id with a colon': { create: () => `corp:${++count}`, needsAdministrator: 'user' },
  'an id in the form of generated ids': {
    create: () => (++count).toString(16).padStart(24, 'a'),
    needsAdministrator: 'all',
  },
  'the id of the owner, a colon and a name': {
    create: (ownerId) => `${ownerId}:${++count}`,
    needsAdministrator: 'user',
    isOwn: true,
  },
};

/** Whether a caller with these roles may choose the id. */
function mayChoose(id: OperationId, policy: string, kind: Kind, roles: readonly string[]): boolean {
  const has = (role: string) => roles.includes(role);
  if ((has('ADMIN') || has('IAM_ADMIN_MAINTENANCE')) && (has('AUTH-BASIC') || has('CLI-AUTH-BASIC'))) return true;
  const createsUser = id === 'user-identities.create';
  if (kind.needsAdministrator === 'all' || (createsUser && kind.needsAdministrator === 'user')) return false;
  return policy === 'all' || (has('CLI-1STPARTY') && has('CLI-AUTH-BASIC')) || (kind.isOwn === true && !createsUser);
}

describe.each(['all', 'proven'])('with --chosen-ids %s', (policy) => {
  let server: TestServer;
  let callers: Caller[];

  beforeAll(async () => {
    server = await startServer({
      flags: { 'chosen-ids': policy, 'disable-rate-limits': true },
      seed: {
        products: [{ productId: 'matrix-product', productAlias: 'matrix', sku: 'one' }],
        users: Array.from({ length: 20 }, (_, at) => ({ userId: `walked-${at}` })),
      },
    });
    callers = await createCallers(server);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** The id with which the service account ids of the own clients of a caller start. */
  async function ownerIdOf({ subject }: Caller): Promise<string> {
    const { store } = server.appContext;
    const user = await store.users.get(subject);
    const client = (await store.clients.get(subject)) ?? (await store.clients.getBy('serviceAccountId', subject));
    return user?.businessId ?? client?.businessId ?? client?.userId ?? client?.clientId ?? subject;
  }

  async function send(operation: Operation<never>, { headers, clientId }: Caller, id: string) {
    const { body, path = operation.path } = requests[operation.id as OperationId]?.(id) ?? {};
    return server.send({
      method: operation.method,
      path: `${servicePrefix}${path}${clientId === undefined ? '' : `?clientId=${clientId}`}`,
      headers: [...headers, ['Content-Type', 'application/json']],
      body: JSON.stringify(body),
    });
  }

  const cases = (Object.keys(requests) as OperationId[]).flatMap((id) =>
    Object.keys(kinds).map((kind) => [id, kind] as const),
  );

  test.each(cases)('%s accepts %s only from those who may choose it', async (id, kindName) => {
    const operation = operations[id] as unknown as Operation<never>;
    const kind = kinds[kindName] as Kind;
    const found: string[] = [];
    const expected: string[] = [];
    for (const caller of callers) {
      const { grant, name, clientId } = caller;
      if (typeof grant === 'string' || !evaluateRoles(operation.rolesText, grant)) continue;
      if (clientId !== undefined && operation.auth !== 'client-id') continue;
      const before = await server.dump();
      const response = await send(operation, caller, kind.create(await ownerIdOf(caller)));
      const code = response.status < 300 ? 'created' : (response.json as { code: string }[])[0]?.code;
      found.push(`${name}: ${code}`);
      expected.push(`${name}: ${mayChoose(id, policy, kind, grant.roles) ? 'created' : 'ID_NOT_CHOSEN'}`);
      if (response.status < 300) continue;
      expect(response.status).toBe(412);
      expect(await server.dump()).toEqual(before);
    }
    expect(found).toEqual(expected);
    expect(found.some((line) => line.endsWith('created'))).toBe(true);
    const isRefusable = expected.some((line) => line.endsWith('ID_NOT_CHOSEN'));
    if (isRefusable) expect(operation.errors).toContain('ID_NOT_CHOSEN');
  });
});

test('a reserved word for callers without an id is no id of a new object', async () => {
  await using server = await startServer();
  const before = await server.dump();
  for (const userId of ['anonymous', 'unknown']) {
    const request = server.admin.userIdentities.create({
      body: { userId, userName: newName(), userEmail: 'new@example.com' },
    });
    await expect(request).rejects.toMatchObject({ status: 400, code: 'FIELD_VALUE' });
  }
  expect(await server.dump()).toEqual(before);
});

test.each([
  [{}, 'all'],
  [{ 'allow-remote': true }, 'proven'],
  [{ 'allow-remote': true, 'chosen-ids': 'all' }, 'all'],
])('with %j the policy is %s', async (flags, policy) => {
  await using server = await startServer({ flags });
  const body = { userId: 'chosen', userName: 'someone', userEmail: 'someone@example.com' };
  const response = server.as().userIdentities.create({ query: { clientId: appClientId }, body });
  await (policy === 'all'
    ? expect(response).resolves.toBeDefined()
    : expect(response).rejects.toMatchObject({ status: 412, code: 'ID_NOT_CHOSEN' }));
});
