/**
 * The entities that requests refer to: the operation that lists them, and the properties of its rows that identify and
 * describe them. Completion, prompts, `--if-not-exists` and `-o name` use this table; schemas refer to it with `reference`.
 */

/** The source of rows: an operation that lists or reads, or a control-plane path with the command that prints it. */
export type EntityListSource =
  | { readonly operation: string; readonly filter?: string }
  | { readonly control: string; readonly command: string; readonly filter?: string };

export interface EntityDeclaration {
  /** The list of all entities of the type. `filter` is the query parameter that searches by a term. */
  readonly list: EntityListSource;
  /** The operation that reads one entity. */
  readonly get?: string;
  /** The kinds of references to the entity, and the row property of each. */
  readonly properties: Readonly<Record<string, string>>;
  /** Properties that a prompt displays next to the value. */
  readonly shown: readonly string[];
  /** Properties that completion may display and cache, best first; no personal data. */
  readonly describedBy: readonly string[];
  /** The column that shows the name of the entity beside its id. Absent if it has no name. */
  readonly nameColumn?: string;
}

const clients = { control: '/_iam/clients', command: 'clients list', filter: 'name' };

export const entities = {
  group: {
    list: { operation: 'groups.list', filter: 'name' },
    get: 'groups.get',
    properties: { id: 'groupId', name: 'groupName' },
    shown: ['groupName', 'organizationId', 'businessUnitId'],
    describedBy: ['groupName', 'roles', 'groupId'],
    nameColumn: 'groupName',
  },
  role: {
    list: { operation: 'groups.list' },
    properties: { name: 'roles' },
    shown: [],
    describedBy: [],
  },
  user: {
    list: { control: '/_iam/users', command: 'users list', filter: 'name' },
    get: 'user-identities.get',
    properties: { id: 'userId', name: 'userName' },
    shown: ['userId', 'userName', 'userEmail'],
    describedBy: ['userName', 'userId'],
    nameColumn: 'userName',
  },
  business: {
    list: { control: '/_iam/businesses', command: 'businesses list', filter: 'name' },
    properties: { id: 'businessId', name: 'businessName' },
    shown: ['businessId', 'businessName'],
    describedBy: ['businessName', 'businessId'],
    nameColumn: 'businessName',
  },
  client: {
    list: clients,
    properties: { id: 'clientId', serviceAccount: 'serviceAccountId', application: 'appId' },
    shown: ['appId', 'clientId', 'serviceAccountId'],
    describedBy: ['serviceAccountId', 'appId', 'clientId'],
    nameColumn: 'clientName',
  },
  customer: {
    list: { control: '/_iam/customers', command: 'customers list', filter: 'name' },
    properties: { id: 'customerId', name: 'name' },
    shown: ['customerId', 'name', 'document', 'userId', 'businessId'],
    describedBy: ['name', 'userId', 'businessId'],
    nameColumn: 'customerName',
  },
  corporateGroup: {
    list: { operation: 'corporate-groups.list', filter: 'name' },
    get: 'corporate-groups.get',
    properties: { id: 'corporateGroupId', name: 'corporateGroupName' },
    shown: ['corporateGroupId', 'corporateGroupName'],
    describedBy: ['corporateGroupName', 'corporateGroupId'],
    nameColumn: 'corporateGroupName',
  },
  apiKey: {
    list: { operation: 'api-key.list' },
    properties: { id: 'apiKeyId' },
    shown: ['apiKeyId', 'appId', 'clientId', 'hint'],
    describedBy: ['appId', 'clientId'],
    nameColumn: 'apiKeyName',
  },
  factor: {
    list: { operation: 'user-identities.factors.list' },
    properties: { id: 'id' },
    shown: ['id', 'contactType'],
    describedBy: ['contactType'],
  },
  session: {
    list: { control: '/_iam/sessions', command: 'sessions list', filter: 'name' },
    properties: { id: 'sessionId' },
    shown: ['sessionId', 'userId', 'clientId', 'startedAt'],
    describedBy: ['userId', 'clientId'],
  },
  request: {
    list: { control: '/_iam/requests', command: 'requests list' },
    properties: { id: 'id' },
    shown: ['id', 'at', 'status', 'method', 'path'],
    describedBy: ['operation'],
  },
  fault: {
    list: { control: '/_iam/faults', command: 'faults list', filter: 'name' },
    properties: { id: 'id' },
    shown: ['id', 'operation'],
    describedBy: ['operation'],
  },
  sandbox: {
    list: { control: '/_iam/sandboxes', command: 'sandbox list', filter: 'name' },
    properties: { name: 'name' },
    shown: ['name', 'createdAt'],
    describedBy: [],
  },
  snapshot: {
    list: { control: '/_iam/state/snapshots', command: 'state list', filter: 'name' },
    properties: { name: 'name' },
    shown: ['name', 'createdAt'],
    describedBy: [],
  },
} as const satisfies Readonly<Record<string, EntityDeclaration>>;

/** Properties that identify a row, of an entity or of other command output. */
export const identifyingProperties: ReadonlySet<string> = new Set([
  ...Object.values<EntityDeclaration>(entities).flatMap(({ properties }) => properties.id ?? []),
  ...['serviceAccountId', 'serviceId', 'challengeId', 'codeId', 'deviceId', 'deviceTokenId', 'messageId', 'kid'],
]);

export type EntityName = keyof typeof entities;

/** A key of an entity's `properties`. */
export type KeyOf<Entity extends EntityName> = keyof (typeof entities)[Entity]['properties'] & string;

/** Rows that restrict a reference. The preceding values are the parameters of the source, in the same order. */
export type ReferenceScope = EntityListSource & {
  /** The row property that contains the value; a dot separates the fields of nested lists. */
  readonly property: string;
};

/** Marks a value that refers to an existing entity. */
export interface Reference {
  readonly entity: EntityName;
  /** The accepted kinds of values; completion and prompts use the first. */
  readonly by: readonly string[];
  /** Restricts the choice, for example to the members of the target group. */
  readonly among?: ReferenceScope;
}

/** Marks a value that becomes the id or a name of a new or renamed entity. */
export interface Definition {
  readonly entity: EntityName;
  readonly by: string;
}

/** Schema metadata for the command line; extensions in JSON Schema and OpenAPI. */
export interface FieldExtensions {
  readonly 'x-reference'?: Reference;
  readonly 'x-defines'?: Definition;
  /** The field applies only if a sibling field has this value. */
  readonly 'x-only-for'?: { readonly field: string; readonly value: string };
  /** The name of the parameter as an argument of a command, if its own name is not clear enough. */
  readonly 'x-argument'?: string;
  /** The label in a prompt, if the field name is not clear enough. */
  readonly 'x-label'?: string;
}

/** Marks a schema whose value refers to an entity: `.meta(reference('group', ['name', 'id']))`. */
export function reference<Entity extends EntityName>(
  entity: Entity,
  by: readonly KeyOf<Entity>[],
  among?: ReferenceScope,
): { readonly 'x-reference': Reference } {
  return { 'x-reference': { entity, by, ...(among ? { among } : {}) } };
}

/** Marks a schema whose value identifies the entity that the request creates or renames: `.meta(defines('group', 'name'))`. */
export function definition<Entity extends EntityName>(
  entity: Entity,
  by: KeyOf<Entity>,
): { readonly 'x-defines': Definition } {
  return { 'x-defines': { entity, by } };
}

export function entityOf(name: EntityName): EntityDeclaration {
  return entities[name];
}

/** The property with the id of the entity; empty if it has none. */
export function idPropertyOf(name: EntityName): string {
  return entityOf(name).properties.id ?? '';
}
