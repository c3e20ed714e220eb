/**
 * The resources that commands update: the table from which `update` and `edit` of each are built. An operation or a route
 * that updates a resource needs a line here; test/cli/conformance/updates.test.ts walks them.
 */
import { type EntityName, entityOf } from '../../../contract/entities.ts';
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import type { Context } from '../../context.ts';
import { callOperation } from '../../request/call-operation.ts';
import { type EntityFields, normalizeRole } from '../../request/differences.ts';
import type { EntityRead } from '../../request/entity-rows.ts';
import type { NameResolver } from '../../request/resolve-names.ts';

/** The values of the path, by the name of the parameter. */
export type PathParams = Readonly<Record<string, string>>;

export interface UpdatableResource {
  /** The operation or route that writes it. PUT replaces all fields, PATCH changes those that are sent. */
  readonly write: string;
  readonly entity: EntityName;
  /** What messages call it. */
  readonly label: string;
  /** The same as its `get` command prints, with an ETag for its file that covers all fields of the write. */
  read(context: Context, params: PathParams): Promise<EntityRead>;
  /** The server has no ETag of it: what others change between the read and the write is overwritten. */
  readonly unguarded?: true;
  /** Its `get` command is built from this table: no operation and no route of the control plane has one. */
  readonly ownGet?: true;
  /** Fields that a read masks. The write keeps them if they are not sent. */
  readonly masked?: readonly string[];
  /** Fields that a write of the same value verifies. */
  listUnverified?(entity: EntityFields): readonly string[];
  normalizeEntry?(field: string, entry: unknown): unknown;
  /** The operation that reads it, if there is one: completion takes its lists from there. */
  readonly get?: string;
}

const factor = {
  entity: 'factor',
  label: 'contact',
  masked: ['email', 'mobile'],
  ownGet: true,
} as const;

export const updatableResources: readonly UpdatableResource[] = [
  {
    write: 'groups.update',
    entity: 'group',
    label: 'group',
    get: 'groups.get',
    read: (context, params) => readOperation(context, 'groups.get', params),
    normalizeEntry: normalizeRole,
  },
  {
    write: 'corporate-groups.update',
    entity: 'corporateGroup',
    label: 'corporate group',
    get: 'corporate-groups.get',
    read: (context, params) => readOperation(context, 'corporate-groups.get', params),
  },
  {
    write: 'user-identities.update',
    entity: 'user',
    label: 'user',
    read: async (context, { id = '' }) => (await import('../users/get.ts')).readUser(context, id),
    listUnverified: listUnverifiedContacts,
  },
  {
    write: 'api-key.update',
    entity: 'apiKey',
    label: 'API key',
    read: async (context, { apiKeyId = '' }) => (await import('../control-details.ts')).readApiKey(context, apiKeyId),
  },
  {
    write: 'control.update-client',
    entity: 'client',
    label: 'client',
    read: async (context, { id = '' }) => (await import('../control-details.ts')).readClient(context, id),
    normalizeEntry: normalizeRole,
  },
  {
    ...factor,
    write: 'user-identities.factors.update',
    unguarded: true,
    read: async (context, { id = '' }) => (await import('../users/factors.ts')).readOwnFactor(context, id),
  },
  {
    ...factor,
    write: 'user-identities.factors.admin-update',
    read: async (context, { id = '', factorId = '' }) =>
      (await import('../users/factors.ts')).readUserFactor(context, id, factorId),
  },
];

export function findUpdatableResource({ id }: ManifestOperation): UpdatableResource | undefined {
  return updatableResources.find(({ write }) => write === id);
}

/** The label with its article: `an API key`. */
export function withArticle(label: string): string {
  return `${/^[aeio]/i.test(label) ? 'an' : 'a'} ${label}`;
}

/** What a person calls the entity: its name, or its id with what it is known by. */
export function nameOf(
  { resource, names }: { readonly resource: UpdatableResource; readonly names: NameResolver },
  entity: EntityFields,
): string {
  const { name = '', id = '' } = entityOf(resource.entity).properties;
  return entity[name] === undefined ? names.format(String(entity[id] ?? '')) : String(entity[name]);
}

async function readOperation(context: Context, id: string, params: PathParams): Promise<EntityRead> {
  const { body, headers } = await callOperation(context, id, { params });
  return { entity: body as EntityFields, etag: headers.etag };
}

/** Names and contacts of a user that are not verified, or not known to be. */
function listUnverifiedContacts({ nameVerified, contacts }: EntityFields): readonly string[] {
  const isVerified = (id: string) =>
    Array.isArray(contacts) && (contacts as EntityFields[]).some((one) => one.id === id && one.verified === true);
  return [
    ...(nameVerified === true ? [] : ['userName']),
    ...(isVerified('main-email') ? [] : ['userEmail']),
    ...(isVerified('main-mobile') ? [] : ['userMobile']),
  ];
}
