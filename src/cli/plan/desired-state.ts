/** Converts documents to the desired state and validates it without the server. Pure. */
import { isReservedRole, stripRolePrefix } from '../../contract/roles.ts';
import type { Documents } from './documents.ts';
import { type Diagnostic, findPosition } from './documents.ts';
import { type Member, type MemberKind, memberKinds } from './members.ts';
import { entrySchemas, type KindName } from './schema.ts';
import { reservedResourceNames } from './value-schemas.ts';

export interface DesiredGroup {
  readonly path: string;
  readonly groupName: string;
  /** Null clears the field; undefined leaves it unchanged. */
  readonly organizationId?: string | null;
  readonly businessUnitId?: string | null;
  readonly roles?: readonly string[];
  readonly dependencies?: readonly string[];
  /** All members by kind. An absent kind is left unchanged. */
  readonly members: Partial<Readonly<Record<MemberKind, readonly Member[]>>>;
}

export interface DesiredClient {
  readonly path: string;
  readonly clientId?: string;
  readonly serviceAccountId?: string;
  /** All other fields. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface DesiredApiKey {
  readonly path: string;
  readonly apiKeyId?: string;
  readonly appId: string;
  readonly clientId?: string;
  readonly serviceAccountId?: string;
}

export interface DesiredCorporateGroup {
  readonly path: string;
  readonly corporateGroupName: string;
  readonly organizationId?: string | null;
  readonly businesses?: readonly string[];
}

export interface DesiredCustomer {
  readonly path: string;
  readonly kind: 'business' | 'user';
  readonly businessId?: string;
  readonly userId?: string;
  readonly document: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface DesiredState {
  readonly set?: string | undefined;
  readonly groups: readonly DesiredGroup[];
  readonly clients: readonly DesiredClient[];
  readonly apiKeys: readonly DesiredApiKey[];
  readonly corporateGroups: readonly DesiredCorporateGroup[];
  readonly customers: readonly DesiredCustomer[];
}

type Entry = Readonly<Record<string, unknown>>;

/** Builds the desired state. Skips entries without required fields, which are reported as diagnostics elsewhere. */
export function buildDesiredState({ set, entries }: Pick<Documents, 'set' | 'entries'>): DesiredState {
  const all = <Resource>(kind: KindName, make: (entry: Entry, path: string) => Resource): Resource[] =>
    entries[kind].flatMap((entry, at) => (hasRequiredFields(kind, entry) ? [make(entry, `${kind}/${at}`)] : []));
  const asDesired = <Resource>(entry: Entry, path: string) => ({ ...entry, path }) as unknown as Resource;
  return {
    ...(set === undefined ? {} : { set }),
    groups: all('groups', parseGroup),
    clients: all('clients', parseClient),
    apiKeys: all('apiKeys', asDesired<DesiredApiKey>),
    corporateGroups: all('corporateGroups', asDesired<DesiredCorporateGroup>),
    customers: all('customers', parseCustomer),
  };
}

function hasRequiredFields(kind: KindName, entry: Entry): boolean {
  return (entrySchemas[kind].required ?? []).every((name) => entry[name] !== undefined);
}

function parseGroup(entry: Entry, path: string): DesiredGroup {
  const { roles, dependencies, users, businesses, businessUsers, services, ...rest } = entry;
  const listed = { user: users, business: businesses, businessUser: businessUsers, service: services };
  const members = memberKinds.flatMap((kind) =>
    listed[kind] === undefined ? [] : [[kind, (listed[kind] as unknown[]).map((value) => parseMember(kind, value))]],
  );
  return {
    ...(rest as unknown as DesiredGroup),
    path,
    ...(roles === undefined ? {} : { roles: (roles as string[]).map(stripRolePrefix) }),
    ...(dependencies === undefined
      ? {}
      : { dependencies: (dependencies as { groupName: string }[]).map(({ groupName }) => groupName) }),
    members: Object.fromEntries(members),
  };
}

function parseMember(kind: MemberKind, value: unknown): Member {
  if (kind !== 'businessUser') return { kind, id: String(value) };
  const { businessId, userId } = value as { businessId: string; userId: string };
  return { kind, id: userId, businessId };
}

function parseClient({ clientId, serviceAccountId, ...fields }: Entry, path: string): DesiredClient {
  const named = { clientId, serviceAccountId };
  const listed = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return { path, ...listed, fields };
}

function parseCustomer(entry: Entry, path: string): DesiredCustomer {
  const { businessId, userId, document, ...fields } = entry;
  const ids = Object.fromEntries(Object.entries({ businessId, userId }).filter(([, value]) => value !== undefined));
  return { path, kind: userId === undefined ? 'business' : 'user', ...ids, document: String(document), fields };
}

/** Returns errors that do not depend on the server: duplicate names, reserved roles and names, incomplete customers. */
export function validateDesiredState(desired: DesiredState, { positions }: Pick<Documents, 'positions'>): Diagnostic[] {
  const createDiagnostic = (path: string, message: string): Diagnostic => ({
    position: findPosition(positions, path),
    message,
  });
  const duplicates = [
    ...findDuplicates(desired.groups, ({ groupName }) => [`group ${groupName}`]),
    ...findDuplicates(desired.clients, ({ clientId, serviceAccountId }) => [
      ...(clientId === undefined ? [] : [`client ${clientId}`]),
      ...(serviceAccountId === undefined ? [] : [`client of the service account ${serviceAccountId}`]),
    ]),
    ...findDuplicates(desired.apiKeys, listApiKeyNames),
    ...findDuplicates(desired.corporateGroups, ({ corporateGroupName }) => [`corporate group ${corporateGroupName}`]),
    ...findDuplicates(desired.customers, ({ kind, document }) => [`${kind} with the document ${document}`]),
    ...findDuplicates(desired.customers, ({ businessId, userId }) =>
      [`customer ${businessId ?? userId ?? ''}`].filter((name) => !name.endsWith(' ')),
    ),
  ];
  return [
    ...duplicates.map(({ path, name, first }) =>
      createDiagnostic(path, `duplicate ${name}${formatFirstPosition(findPosition(positions, first))}`),
    ),
    ...desired.groups.flatMap(({ path, roles = [] }) => validateRoles(path, roles, createDiagnostic)),
    ...desired.clients.flatMap(({ path, clientId, serviceAccountId }) =>
      clientId === undefined && serviceAccountId === undefined
        ? [createDiagnostic(path, 'a client needs a serviceAccountId or a clientId')]
        : [],
    ),
    ...desired.apiKeys.flatMap(({ path, clientId, serviceAccountId }) =>
      (clientId === undefined) === (serviceAccountId === undefined)
        ? [createDiagnostic(path, 'an API key needs a clientId or a serviceAccountId')]
        : [],
    ),
    ...desired.customers.flatMap((customer) => validateCustomer(customer, createDiagnostic)),
    ...validateBusinesses(desired, createDiagnostic),
    ...validateReservedNames(desired, createDiagnostic),
  ];
}

function listApiKeyNames({ apiKeyId, clientId, serviceAccountId, appId }: DesiredApiKey): string[] {
  return [apiKeyId === undefined ? `API key of ${clientId ?? serviceAccountId} for ${appId}` : `API key ${apiKeyId}`];
}

function formatFirstPosition(position: ReturnType<typeof findPosition>): string {
  return position ? `; first in ${position.file}:${position.line}` : '';
}

interface Duplicate {
  readonly path: string;
  readonly name: string;
  readonly first: string;
}

function findDuplicates<Entry extends { readonly path: string }>(
  entries: readonly Entry[],
  namesOf: (entry: Entry) => readonly string[],
): Duplicate[] {
  const seen = new Map<string, string>();
  return entries.flatMap((entry) =>
    namesOf(entry).flatMap((name) => {
      const first = seen.get(name);
      if (first === undefined) seen.set(name, entry.path);
      return first === undefined ? [] : [{ path: entry.path, name, first }];
    }),
  );
}

type CreateDiagnostic = (path: string, message: string) => Diagnostic;

/** `A` and `ROLE_A` are the same role. Reserved roles are granted only by the service. */
function validateRoles(path: string, roles: readonly string[], createDiagnostic: CreateDiagnostic): Diagnostic[] {
  return roles.flatMap((role, at) => {
    const position = `${path}/roles/${at}`;
    if (isReservedRole(role))
      return [createDiagnostic(position, `${role} is granted by the service; groups cannot have it`)];
    return roles.indexOf(role) < at ? [createDiagnostic(position, `duplicate role ${role}`)] : [];
  });
}

function validateCustomer(
  { path, kind, businessId, fields }: DesiredCustomer,
  createDiagnostic: CreateDiagnostic,
): Diagnostic[] {
  const { businessName, name, organizationId, businessUnitId } = fields;
  if (kind === 'business') {
    if (businessName === undefined) return [createDiagnostic(path, 'a customer needs a businessName or a userId')];
    return name === undefined ? [] : [createDiagnostic(`${path}/name`, 'use businessName for the name of a business')];
  }
  const unexpected = Object.entries({ businessId, businessName, organizationId, businessUnitId });
  return unexpected.flatMap(([field, value]) =>
    value === undefined ? [] : [createDiagnostic(`${path}/${field}`, `a customer with a userId has no ${field}`)],
  );
}

/** A business can be in at most one corporate group. */
function validateBusinesses({ corporateGroups }: DesiredState, createDiagnostic: CreateDiagnostic): Diagnostic[] {
  const corporateGroupOf = new Map<string, string>();
  return corporateGroups.flatMap(({ path, corporateGroupName, businesses = [] }) =>
    businesses.flatMap((businessId, at) => {
      const other = corporateGroupOf.get(businessId);
      corporateGroupOf.set(businessId, other ?? corporateGroupName);
      const message = `the business ${businessId} is already in ${other}; a business can be in at most one corporate group`;
      return other === undefined || other === corporateGroupName
        ? []
        : [createDiagnostic(`${path}/businesses/${at}`, message)];
    }),
  );
}

function validateReservedNames(
  { groups, clients, corporateGroups, customers }: DesiredState,
  createDiagnostic: CreateDiagnostic,
): Diagnostic[] {
  const named = [
    ...groups.map(({ path, groupName }) => [`${path}/groupName`, groupName] as const),
    ...clients.map(({ path, serviceAccountId }) => [`${path}/serviceAccountId`, serviceAccountId] as const),
    ...corporateGroups.map((one) => [`${one.path}/corporateGroupName`, one.corporateGroupName] as const),
    ...customers.map(({ path, businessId }) => [`${path}/businessId`, businessId] as const),
  ];
  return named.flatMap(([path, name]) =>
    name !== undefined && reservedResourceNames.has(name) ? [createDiagnostic(path, `${name} is a reserved word`)] : [],
  );
}
