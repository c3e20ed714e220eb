/**
 * What identifies an entity before it has an id: the table of `--if-not-exists`, which help, completion and `iam bulk` read.
 * test/cli/conformance/creates.test.ts walks all operations that create something: each has an entry.
 */
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { usageError } from '../errors.ts';
import { type ComparisonRules, type EntityFields, normalizeRole, toList } from '../request/differences.ts';

export interface NaturalKey {
  /** The existing entity, for help: `if a group with this name exists`. */
  readonly text: string;
  /** The kind whose entries in documents `iam apply` matches; users are in no document, and their id or name decides. */
  readonly kind: 'user' | 'group' | 'corporateGroup' | 'customer' | 'client' | 'apiKey';
  /** The filters of the list with every entity that the key can match. */
  filters(body: EntityFields): Readonly<Record<string, string | undefined>>;
  /** The fields of a key that the server lets several entities have: it is looked for before the create. */
  sharedFields?(body: EntityFields): readonly string[];
  /** The entity belongs to the caller, whose id is no field of the request. */
  readonly ownedByCaller?: true;
  /** Only clients of this party are matched without a service account. */
  readonly party?: '1STPARTY' | '3RDPARTY';
  readonly normalizeEntry?: ComparisonRules['normalizeEntry'];
  /** The entity with the fields of the request that reads return under another name. */
  toRequestFields?(entity: EntityFields): EntityFields;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

const client = {
  kind: 'client',
  filters: ({ serviceAccountId, appId }) => ({ name: textOf(serviceAccountId) ?? textOf(appId) }),
  sharedFields: ({ serviceAccountId }) => (serviceAccountId === undefined ? ['appId', 'userId', 'businessId'] : []),
  // The request sets the first one only.
  toRequestFields: ({ redirectURIs, ...entity }) => ({ ...entity, redirectURI: toList(redirectURIs)[0] }),
} satisfies Partial<NaturalKey>;

const naturalKeys: Readonly<Record<string, NaturalKey>> = {
  'groups.create': {
    text: 'a group with this name',
    kind: 'group',
    filters: ({ groupName }) => ({ name: textOf(groupName) }),
    normalizeEntry: normalizeRole,
  },
  'corporate-groups.create': {
    text: 'a corporate group with this name',
    kind: 'corporateGroup',
    filters: ({ corporateGroupName }) => ({ name: textOf(corporateGroupName) }),
  },
  'user-identities.create': {
    text: 'a user with this id or, without one, this name',
    kind: 'user',
    filters: ({ userId, userName }) => ({ name: textOf(userId) ?? textOf(userName) }),
  },
  'customers.create-business': {
    text: 'a customer with this business id or, without one, this document',
    kind: 'customer',
    filters: ({ businessId, document }) => ({ name: textOf(businessId) ?? textOf(document) }),
  },
  'customers.create-user': {
    text: 'the customer of this user',
    kind: 'customer',
    filters: ({ userId }) => ({ name: textOf(userId) }),
  },
  'client-identities.create': {
    ...client,
    text: 'a client with this service account or, without one, this application and owner',
    party: '1STPARTY',
  },
  'my-client-identities.create': {
    ...client,
    text: 'a client with this service account or, without one, your client with this application',
    party: '3RDPARTY',
    ownedByCaller: true,
  },
  'api-key.create': {
    text: 'an API key of this client and application',
    kind: 'apiKey',
    filters: ({ clientId, appId }) => ({ clientId: textOf(clientId), appId: textOf(appId) }),
    sharedFields: () => ['clientId', 'appId'],
  },
};

/** The natural key of what an operation creates; undefined if it creates nothing, or nothing that has one. */
export function naturalKeyOf({ id }: Pick<ManifestOperation, 'id'>): NaturalKey | undefined {
  return naturalKeys[id];
}

/** @throws CliError (exit 2) if `--if-not-exists` cannot find what an operation creates */
export function assertHasNaturalKey(operation: Pick<ManifestOperation, 'id'>, place = ''): void {
  if (naturalKeyOf(operation)) return;
  throw usageError(
    `${place}--if-not-exists cannot be used with ${operation.id}; nothing was sent.`,
    'It is for operations that create something with a natural key, such as groups.create.',
  );
}
