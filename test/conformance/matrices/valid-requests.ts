/** A request that succeeds, to each operation that an authenticated client can send without a session or a code. */
import type { Operation } from '../../../src/contract/operation.ts';
import { operations } from '../../../src/server/operations/index.ts';
import { applySeed } from '../../../src/server/seed/apply.ts';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import type { TestServer } from '../../harness.ts';
import type { RawRequest } from '../../server/property/raw-sender.ts';
import type { Owner } from '../object-access/object-access-callers.ts';
import { buildNamingRequest } from '../object-access/object-access-requests.ts';
import { getRequestShape, type ObjectParameter } from '../object-access/object-parameters.ts';
import { listClientRoles } from './role-sets.ts';

/** Users in a session send the others, or callers that are only identified: ../growth-limit-requests.ts has those. */
export const walkedOperations = Object.values<Operation<never>>(operations).filter(
  (operation) =>
    operation.auth === 'caller' && !operation.errors.includes('USER_MISSING') && listClientRoles(operation).length > 0,
);

/** What a request names, created for this request only. */
export type RequestObjects = Owner['own'];

interface Choice {
  readonly own?: RequestObjects;
  /** The parameter that no schema requires, or that has another value than others of its kind. */
  readonly parameter?: readonly [name: string, value: string];
}

const choices: Readonly<Record<string, (number: number) => Choice>> = {
  'groups.create': (number) => ({ own: { group: `new-group-${number}` } }),
  'groups.add-dependency': (number) => ({ parameter: ['groupName', `group-with-role-${number}`] }),
  'groups.remove-dependency': (number) => ({ parameter: ['dependencyName', `dependency-${number}`] }),
  'groups.remove-role': (number) => ({ own: { group: `group-with-role-${number}` } }),
  'api-key.create': (number) => ({ own: { client: `without-roles-${number}` } }),
  'api-key.update': (number) => ({ own: { client: `without-roles-${number}` } }),
  'client-identities.migrate': (number) => ({ parameter: ['clientIds', `client-${number}`] }),
  'product-accesses.authorize': () => ({ parameter: ['productId', 'product'] }),
  'user-identities.add-identity': (number) => ({ own: { 'login name': `new-${number}` } }),
  'user-identities.factors.admin-add': (number) => ({ parameter: ['email', `new-${number}@example.com`] }),
};

/** Products have no owner. */
export const validRequestsSeed: SeedDocument = {
  products: [{ productId: 'product', productAlias: 'reports', sku: 'basic', billingTypes: ['PREPAID'] }],
};

function createSeed(number: number): SeedDocument {
  const [userId, businessId] = [`user-${number}`, `business-${number}`];
  return {
    businesses: [{ businessId, businessName: 'Acme' }],
    users: [
      {
        userId,
        userName: `name-${number}`,
        userEmail: `user-${number}@example.com`,
        businessId,
        identities: [`identity-${number}`],
        factors: [{ id: `factor-${number}`, contactType: 'EMAIL', email: `factor-${number}@example.com` }],
      },
    ],
    clients: [
      { clientId: `client-${number}`, serviceAccountId: `service-${number}`, businessId },
      // Without the roles of a service in groups, which a key for it would grant.
      { clientId: `without-roles-${number}`, authorities: [] },
    ],
    apiKeys: [{ apiKeyId: `key-${number}`, appId: 'walk', clientId: `client-${number}`, apiKey: createKey(number) }],
    groups: [
      { groupName: `dependency-${number}` },
      { groupName: `group-with-role-${number}`, roles: ['DEPLOY'] },
      {
        groupName: `group-${number}`,
        dependencies: [{ groupName: `dependency-${number}` }],
        users: [userId],
        businesses: [businessId],
        businessUsers: [{ businessId, userId }],
        services: [`service-${number}`],
      },
    ],
    corporateGroups: [{ corporateGroupId: `corporate-${number}`, corporateGroupName: `holding-${number}` }],
  };
}

function createKey(number: number): string {
  return Buffer.from(String(number).padStart(32, 'k')).toString('base64');
}

/** Creates the objects of one request. */
export async function createObjects({ appContext }: TestServer, number: number): Promise<RequestObjects> {
  await applySeed(createSeed(number), appContext);
  return {
    user: `user-${number}`,
    'login name': `identity-${number}`,
    factor: `factor-${number}`,
    business: `business-${number}`,
    client: `client-${number}`,
    service: `service-${number}`,
    'API key': `key-${number}`,
    group: `group-${number}`,
    'corporate group': `corporate-${number}`,
    'name of a corporate group': `new-holding-${number}`,
    document: `document-${number}`,
    product: 'product',
    'alias of a product': 'reports',
    'stock keeping unit': 'basic',
  };
}

export interface ValidRequest {
  readonly operation: Operation<never>;
  readonly headers: Owner['headers'];
  readonly objects: RequestObjects;
  readonly number: number;
}

/** What the request of an operation names instead of its own objects. */
export function chooseObjects({ id }: Operation<never>, number: number): Choice {
  return choices[id]?.(number) ?? {};
}

/** Builds the request. */
export function buildValidRequest({ operation, headers, objects, number }: ValidRequest): RawRequest {
  const { own = {}, parameter } = chooseObjects(operation, number);
  const caller = { name: '', headers, own: { ...objects, ...own } };
  const chosen = getRequestShape(operation).parameters.find(({ name }) => name === parameter?.[0]) ?? noParameter;
  return buildNamingRequest({ operation, caller, parameter: chosen, value: parameter?.[1] ?? '', number });
}

/** A parameter that no operation has. */
export const noParameter: ObjectParameter = { location: 'header', path: ['none'], name: 'none', kind: undefined };

/** A client with all roles that names objects of its own in its requests. */
export async function createNamingCaller(
  server: TestServer,
  operation: Operation<never>,
  { authorization, number }: { readonly authorization: string; readonly number: number },
): Promise<Owner> {
  const own = { ...(await createObjects(server, number)), ...chooseObjects(operation, number).own };
  return { name: '', headers: [['Authorization', authorization]], own };
}
