/** Under which names commands find the entities of the server: what the resolver looks up, and what help says about it. */
import { type EntityName, entityOf, type Reference } from '../../contract/entities.ts';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';

type Row = Readonly<Record<string, unknown>>;

export interface NameLookup {
  /** What they are called in messages. */
  readonly noun: string;
  /** What help calls the names. */
  readonly nameText: string;
  /** The query parameters of the list that match names; by default its filter. One can hold the id of an owner, which has names. */
  readonly filters?: readonly (string | { readonly name: string; readonly owner: EntityName })[];
  /** Reads one entity by its id: a path of the control plane, or an operation. Absent if the rows that match a value include the one with this id. */
  readonly read?: string | { readonly operation: string };
  /** The row properties that contain names. Absent if every row of the list matches. */
  readonly names?: readonly string[];
  /** Its ids do not have the form of other ids: a value of that form can be the id of its owner. */
  readonly hasOtherIds?: true;
  /** Names that any caller can choose. */
  readonly foreign?: {
    /** What they are called in messages. */
    readonly text: string;
    isForeign(row: Row, value: string): boolean;
  };
  /** The service accepts names and ids itself, ids first: only a value with a prefix is changed. */
  readonly isResolvedByServer?: true;
}

export const lookups: Readonly<Partial<Record<EntityName, NameLookup>>> = {
  user: {
    noun: 'users',
    nameText: 'login name',
    read: '/_iam/users/',
    foreign: {
      text: 'the user name of a user who signed up',
      isForeign: ({ nameVerified, userName }, value) =>
        nameVerified === false && foldIdentifier(String(userName)) === foldIdentifier(value),
    },
  },
  business: { noun: 'businesses', nameText: 'name', read: '/_iam/businesses/' },
  customer: {
    noun: 'customers',
    nameText: 'name, document, or id of its business or user',
    read: '/_iam/customers/',
    hasOtherIds: true,
  },
  corporateGroup: { noun: 'corporate groups', nameText: 'name', read: { operation: 'corporate-groups.get' } },
  client: {
    noun: 'clients',
    nameText: 'service account or first-party application',
    names: ['clientId', 'serviceAccountId', 'appId'],
    foreign: { text: 'the application of third-party clients', isForeign: ({ party }) => party === '3RDPARTY' },
  },
  apiKey: {
    noun: 'API keys',
    nameText: 'application or client',
    read: '/_iam/api-keys/',
    filters: ['appId', { name: 'clientId', owner: 'client' }],
  },
  group: {
    noun: 'groups',
    nameText: 'name',
    names: ['groupName'],
    read: { operation: 'groups.get' },
    isResolvedByServer: true,
  },
};

/** The name under which commands find a row, if no stranger can take it. */
export function findTypedName(entity: EntityName, row: Row): string | undefined {
  const lookup = lookups[entity];
  if (!lookup) return undefined;
  const { describedBy, properties } = entityOf(entity);
  const names = describedBy.filter((property) => property !== properties.id);
  const isSafe = (property: string, text: string) =>
    !lookup.foreign?.isForeign(row, text) || (lookup.names !== undefined && property !== properties.application);
  const found = names.find((property) => {
    const text = row[property];
    return typeof text === 'string' && text !== '' && isSafe(property, text);
  });
  return found === undefined ? undefined : String(row[found]);
}

/** The description of a value in help, with the names that are accepted besides the id. */
export function describeNames({ description, ...schema }: JsonSchema): string | undefined {
  const { entity, by } = (schema.items?.['x-reference'] ?? schema['x-reference'] ?? {}) as Partial<Reference>;
  const lookup = entity && lookups[entity];
  if (!entity || !lookup || description === undefined || listIds(entity, by).some((id) => isName(entity, id)))
    return description;
  return `${description}, or ${lookup.nameText}`;
}

/** The row properties that contain the ids of a reference. */
export function listIds(entity: EntityName, by: readonly string[] = []): readonly string[] {
  return by.flatMap((kind) => entityOf(entity).properties[kind] ?? []);
}

/** Whether a property is a name that the service accepts as such: a login name or an application. */
export function isName(entity: EntityName, property: string): boolean {
  const { name, application } = entityOf(entity).properties;
  return property === name || property === application;
}
