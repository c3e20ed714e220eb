/**
 * The entities that requests refer to: which list finds them, and which properties of its rows identify and describe
 * them. Completion, prompts, `--if-not-exists` and `-o name` read this table; a schema points into it by `reference`.
 */

/** Where rows come from: an operation that lists or reads, or a path of the control plane and the command that prints it. */
export type RowSource =
  | { readonly operation: string; readonly filter?: string }
  | { readonly control: string; readonly command: string; readonly filter?: string };

export interface EntityDeclaration {
  /** The list of all of them. `filter` is the query parameter that searches by a term. */
  readonly list: RowSource;
  /** The operation that reads one of them. */
  readonly get?: string;
  /** What a reference can be given by, and the property of a row that holds it. */
  readonly properties: Readonly<Record<string, string>>;
  /** Properties that a prompt shows beside the value. */
  readonly shown: readonly string[];
  /** Properties that completion may show and cache, best first; nothing personal. */
  readonly describedBy: readonly string[];
  /** False where a taken name does not prove that this entity exists, so its creation has no `--if-not-exists`. */
  readonly ifNotExists?: false;
}

const clients = { control: '/_iam/clients', command: 'clients list', filter: 'name' };

export const entities = {
  group: {
    list: { operation: 'groups.list', filter: 'name' },
    get: 'groups.get',
    properties: { id: 'groupId', name: 'groupName' },
    shown: ['groupName', 'organizationId', 'businessUnitId'],
    describedBy: ['groupName', 'roles', 'groupId'],
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
  },
  business: {
    list: { control: '/_iam/businesses', command: 'businesses list', filter: 'name' },
    properties: { id: 'businessId', name: 'businessName' },
    shown: ['businessId', 'businessName'],
    describedBy: ['businessName', 'businessId'],
  },
  client: {
    list: clients,
    properties: { id: 'clientId', serviceAccount: 'serviceAccountId', application: 'appId' },
    shown: ['appId', 'clientId', 'serviceAccountId'],
    describedBy: ['appId', 'clientId'],
  },
  customer: {
    list: { control: '/_iam/customers', command: 'customers list', filter: 'name' },
    properties: { id: 'customerId', name: 'name' },
    shown: ['customerId', 'name'],
    describedBy: ['name', 'userId', 'businessId'],
    // What is taken may be the document, which another customer has.
    ifNotExists: false,
  },
  corporateGroup: {
    list: { operation: 'corporate-groups.list', filter: 'name' },
    get: 'corporate-groups.get',
    properties: { id: 'corporateGroupId', name: 'corporateGroupName' },
    shown: ['corporateGroupId', 'corporateGroupName'],
    describedBy: ['corporateGroupName', 'corporateGroupId'],
  },
  apiKey: {
    list: { operation: 'api-key.list' },
    properties: { id: 'apiKeyId' },
    shown: ['apiKeyId', 'appId', 'clientId', 'hint'],
    describedBy: ['appId', 'clientId'],
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
    properties: { id: 'requestId' },
    shown: ['requestId', 'operation', 'status'],
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

/** Properties that identify a row, be it of an entity or of what commands print besides. */
export const identifyingProperties: ReadonlySet<string> = new Set([
  ...Object.values<EntityDeclaration>(entities).flatMap(({ properties }) => properties.id ?? []),
  ...['serviceAccountId', 'serviceId', 'challengeId', 'codeId', 'deviceId', 'deviceTokenId', 'messageId', 'kid'],
]);

export type EntityName = keyof typeof entities;

/** A key of an entity's `properties`. */
export type KeyOf<Entity extends EntityName> = keyof (typeof entities)[Entity]['properties'] & string;

/** Rows that narrow a reference: their source takes the values before this one as its parameters, in their order. */
export type Among = RowSource & {
  /** The property of a row that holds the value; within a list of objects by a dot. */
  readonly property: string;
};

/** A value names an existing entity. */
export interface Reference {
  readonly entity: EntityName;
  /** What the value may be; completion and prompts offer the first. */
  readonly by: readonly string[];
  /** Only these can be meant, such as the members of the group that the call is about. */
  readonly among?: Among;
}

/** A value becomes the id or a name of the entity. */
export interface Definition {
  readonly entity: EntityName;
  readonly by: string;
}

/** Schema metadata that this table and the command line read; JSON Schema and OpenAPI carry it as extensions. */
export interface FieldExtensions {
  readonly 'x-reference'?: Reference;
  readonly 'x-defines'?: Definition;
  /** The field is of use only where a field beside it has this value. */
  readonly 'x-only-for'?: { readonly field: string; readonly value: string };
  /** What the parameter is called as an argument of a command, where its own name says too little. */
  readonly 'x-argument'?: string;
  /** How a prompt asks for it, where the words of its name would say too little. */
  readonly 'x-label'?: string;
}

/** Marks a schema whose value names an entity: `.meta(reference('group', ['name', 'id']))`. */
export function reference<Entity extends EntityName>(
  entity: Entity,
  by: readonly KeyOf<Entity>[],
  among?: Among,
): { readonly 'x-reference': Reference } {
  return { 'x-reference': { entity, by, ...(among ? { among } : {}) } };
}

/** Marks a schema whose value identifies what the call creates or renames: `.meta(defines('group', 'name'))`. */
export function defines<Entity extends EntityName>(
  entity: Entity,
  by: KeyOf<Entity>,
): { readonly 'x-defines': Definition } {
  return { 'x-defines': { entity, by } };
}

/** The declaration of an entity, by its name. */
export function entityOf(name: EntityName): EntityDeclaration {
  return entities[name];
}
