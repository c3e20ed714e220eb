/** Every parameter, header and field of every operation, and the kind of object that it names. */
import type { EntityName } from '../../../src/contract/entities.ts';
import type { JsonSchema } from '../../../src/contract/manifest-types.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { toJsonSchema } from '../../server/property/request-generator.ts';

/** Kinds of objects that a parameter can name. An object with several names has one kind for each. */
export type ObjectKind =
  | 'user'
  | 'login name'
  | 'e-mail'
  | 'phone number'
  | 'factor'
  | 'business'
  | 'document'
  | 'client'
  | 'service'
  | 'API key'
  | 'value of an API key'
  | 'group'
  | 'corporate group'
  | 'name of a corporate group'
  | 'logon'
  | 'product'
  | 'alias of a product'
  | 'stock keeping unit'
  | 'provider'
  | 'challenge'
  | 'transaction of a logon'
  | 'refresh token'
  | 'param'
  | 'device';

export interface ObjectParameter {
  readonly location: 'path' | 'query' | 'header' | 'body';
  /** From the root of the body to the field; elsewhere the name alone. A list is represented by its first item. */
  readonly path: readonly (string | number)[];
  readonly name: string;
  /** Undefined if it names no object; `unknown` if it is not declared yet. */
  readonly kind: ObjectKind | 'unknown' | undefined;
}

const kindByName: Readonly<Record<string, ObjectKind>> = {
  userId: 'user',
  userName: 'login name',
  username: 'login name',
  identity: 'login name',
  userEmail: 'e-mail',
  email: 'e-mail',
  phoneNumber: 'phone number',
  factorId: 'factor',
  businessId: 'business',
  document: 'document',
  clientId: 'client',
  client_id: 'client',
  clientIds: 'client',
  targetClientId: 'client',
  serviceId: 'service',
  serviceAccountId: 'service',
  apiKeyId: 'API key',
  apiKey: 'value of an API key',
  groupId: 'group',
  groupName: 'group',
  dependencyName: 'group',
  corporateGroupId: 'corporate group',
  corporateGroupName: 'name of a corporate group',
  logon: 'logon',
  productId: 'product',
  productAlias: 'alias of a product',
  sku: 'stock keeping unit',
  provider: 'provider',
  challengeId: 'challenge',
  hash: 'transaction of a logon',
  refreshToken: 'refresh token',
  refresh_token: 'refresh token',
  param: 'param',
  deviceTokenId: 'device',
};

/** For fields in neither list of names: by the entity that the schema refers to or defines. */
const kindByEntity: Readonly<Partial<Record<EntityName, ObjectKind>>> = {
  user: 'user',
  business: 'business',
  client: 'client',
  group: 'group',
  corporateGroup: 'corporate group',
  apiKey: 'API key',
  factor: 'factor',
};

/** Parameters that name no object: values, options, credentials and labels. */
const nonObjectNames = new Set([
  ...[
    'appId',
    'organizationId',
    'businessUnitId',
    'role',
    'roleName',
    'roles',
    'scope',
    'resource',
    'tags',
    'lead',
    'reason',
  ],
  ...['algorithm', 'certificate', 'chain', 'signature', 'idToken', 'nonce', 'samlResponse', 'relayState', 'token'],
  ...['validationCode', 'password', 'newPassword', 'clientSecret', 'client_secret', 'grantType', 'grant_type'],
  ...['grantTypes', 'redirectURI', 'contactType', 'regionCode', 'areaCode', 'deviceId', 'deviceName', 'deviceVersion'],
  ...['billingType', 'isExternalOrder', 'orderId', 'showCaseId', 'skuPriceHashCode', 'businessName', 'name', 'ip'],
  ...['after', 'limit', 'remember-me'],
]);

/** Kinds of ambiguous names such as `id`: by the preceding path segment, or by the filtered list. */
const kindBySegment: Readonly<Record<string, ObjectKind>> = {
  'user-identities': 'user',
  'authentication-factors': 'factor',
  authenticationFactors: 'factor',
  groups: 'group',
  'corporate-groups': 'name of a corporate group',
};

const shapes = new Map<
  string,
  { readonly parameters: readonly ObjectParameter[]; readonly body: JsonSchema | undefined }
>();

/** Returns all parameters of an operation with their kinds, and the schema of its body. The result is cached. */
export function getRequestShape(operation: Operation<never>) {
  const { body } = operation.request;
  const shape = shapes.get(operation.id) ?? { parameters: listParameters(operation), body: body && toJsonSchema(body) };
  shapes.set(operation.id, shape);
  return shape;
}

function listParameters({ path, request }: Operation<never>): ObjectParameter[] {
  const segments = path.split('/');
  const before = (name: string) => segments[segments.indexOf(`{${name}}`) - 1] ?? '';
  const createParameter = (
    where: ObjectParameter['location'],
    at: ObjectParameter['path'],
    context = '',
    schema: JsonSchema = {},
  ): ObjectParameter => {
    const name = String(at.findLast((part) => typeof part === 'string'));
    return { location: where, path: at, name, kind: classify(name, context, schema) };
  };
  return [
    ...Object.keys(request.params ?? {}).map((name) => createParameter('path', [name], before(name))),
    ...Object.keys(request.query ?? {}).map((name) =>
      createParameter('query', [name], name === 'name' ? segments[1] : ''),
    ),
    ...Object.keys(request.headers ?? {}).map((name) => createParameter('header', [name])),
    ...(request.body ? listLeaves(toJsonSchema(request.body)) : []).map(({ at, schema }) =>
      createParameter('body', at, String(at[0]), schema),
    ),
  ];
}

function classify(name: string, context: string, schema: JsonSchema): ObjectParameter['kind'] {
  if ((name === 'id' || name === 'name') && kindBySegment[context]) return kindBySegment[context];
  if (kindByName[name] || nonObjectNames.has(name)) return kindByName[name];
  const entity = schema['x-reference']?.entity ?? schema['x-defines']?.entity;
  return (entity && kindByEntity[entity]) ?? 'unknown';
}

interface Leaf {
  readonly at: readonly (string | number)[];
  readonly schema: JsonSchema;
}

/** The fields without nested fields. */
function listLeaves(schema: JsonSchema): Leaf[] {
  const { properties, items, anyOf } = schema;
  const below = (part: string | number, of: JsonSchema) =>
    listLeaves(of).map((leaf) => ({ ...leaf, at: [part, ...leaf.at] }));
  const leaves = anyOf
    ? anyOf.filter(({ type }) => type !== 'null').flatMap(listLeaves)
    : items
      ? below(0, items)
      : properties
        ? Object.entries(properties).flatMap(([name, of]) => below(name, of))
        : [{ at: [], schema }];
  return [...new Map(leaves.map((leaf) => [leaf.at.join('.'), leaf])).values()];
}
