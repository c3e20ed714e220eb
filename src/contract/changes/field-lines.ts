/**
 * Changes of the fields of stored objects as people read them, in the console and the command: lists as added and removed
 * entries, ids with the kind of object that they name, secrets without values, and apart from these what only the service
 * needs. Pure.
 */

/** A field before and after a change. A secret has neither value; a missing value was not set. */
export interface FieldDifference {
  readonly field: string;
  readonly before?: unknown;
  readonly after?: unknown;
  /** Entries of the lists that were left out. */
  readonly omitted?: number | undefined;
}

export interface FieldLine {
  readonly field: string;
  /** The values are ids of objects of this kind. */
  readonly kind?: ReferredKind | undefined;
  readonly isSecret?: true;
  /** Of one value. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Of a list. */
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
  readonly omitted?: number | undefined;
}

export interface FieldLines {
  readonly changes: readonly FieldLine[];
  /** The names of fields that only the service needs. */
  readonly internals: readonly string[];
}

/** Secrets that people set: that one changed says something, whatever it is stored as. */
const secretLabels: Readonly<Record<string, string>> = {
  passwordHash: 'password',
  secretHash: 'secret',
  keyHash: 'key',
};

/** Times, counters and marks of the service, and what it knows of logins. */
const internalFields: ReadonlySet<string> = new Set([
  ...[
    'createdAt',
    'startedAt',
    'endsAt',
    'expiresAt',
    'arrivesAt',
    'mfaAt',
    'lastUsedAt',
    'rotatedAt',
    'secretRotatedAt',
  ],
  ...['tokenGeneration', 'bootstrap', 'hint', 'claim', 'codeId', 'voids', 'deviceKey'],
  ...[
    'userNameProven',
    'selfRegistered',
    'knownSources',
    'mfaSources',
    'replacedHash',
    'previousSecret',
    'previousKey',
  ],
  ...['sealedCode', 'deviceTokenHash', 'text'],
]);

const referredKinds = {
  userId: 'user',
  businessId: 'business',
  clientId: 'client',
  ownerClientId: 'client',
  corporateGroupId: 'corporateGroup',
  dependencies: 'group',
  businesses: 'business',
  users: 'user',
  'business users': 'user',
  services: 'service',
} as const satisfies Readonly<Record<string, string>>;

export type ReferredKind = (typeof referredKinds)[keyof typeof referredKinds];

/** The fields with the own id of an object, by its kind. */
const ownIds: Readonly<Record<string, string>> = {
  ...{ user: 'userId', group: 'groupId', client: 'clientId', business: 'businessId', customer: 'customerId' },
  ...{ corporateGroup: 'corporateGroupId', apiKey: 'apiKeyId', session: 'sessionId', message: 'messageId' },
  ...{ product: 'productId', provider: 'name', logon: 'logon', factor: 'factorId', device: 'deviceKey' },
};

/** Whether only the service needs the field. */
export function isInternalField(entity: string, field: string): boolean {
  return internalFields.has(field) || ownIds[entity] === field;
}

/** The kind of the objects whose ids a field contains. */
export function referredKindOf(field: string): ReferredKind | undefined {
  return Object.hasOwn(referredKinds, field) ? referredKinds[field as keyof typeof referredKinds] : undefined;
}

/** @param entity the kind of the object that the fields belong to */
export function describeFields(entity: string, fields: readonly FieldDifference[]): FieldLines {
  const [internals, visible] = [[] as string[], [] as FieldDifference[]];
  for (const field of fields) {
    if (isInternalField(entity, field.field)) internals.push(field.field);
    else visible.push(field);
  }
  return { changes: visible.map(describeField).filter(isDifferent), internals };
}

function describeField({ field, before, after, omitted }: FieldDifference): FieldLine {
  const label = secretLabels[field];
  if (label !== undefined) return { field: label, isSecret: true };
  const kind = referredKindOf(field);
  const described = kind === undefined ? { field } : { field, kind };
  if (!Array.isArray(before) && !Array.isArray(after))
    return { ...described, ...withText('before', before), ...withText('after', after) };
  const [left, right] = [before, after].map((list) => new Set(Array.isArray(list) ? list.map(formatValueText) : []));
  return {
    ...described,
    added: [...(right ?? [])].filter((entry) => !left?.has(entry)),
    removed: [...(left ?? [])].filter((entry) => !right?.has(entry)),
    ...(omitted === undefined ? {} : { omitted }),
  };
}

function withText(name: 'before' | 'after', value: unknown) {
  return value === undefined ? {} : { [name]: formatValueText(value) };
}

/** An empty list of a new object says nothing. A secret and a value that may not be read have neither value. */
function isDifferent({ added, removed }: FieldLine): boolean {
  return added === undefined || removed === undefined || added.length + removed.length > 0;
}

/** A number of a phone in E.164, other objects as JSON. */
export function formatValueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && 'phoneNumber' in value) {
    const { regionCode, areaCode, phoneNumber } = value as Readonly<Record<string, unknown>>;
    return `+${String(regionCode)}${String(areaCode)}${String(phoneNumber)}`;
  }
  return JSON.stringify(value) ?? '';
}
