/** What documents ask for, in the shape that planning works with, and what is wrong with it by itself. Pure. */
import { bareRole, isReservedRole } from '../../contract/roles.ts';
import type { Documents } from './documents.ts';
import { type Fault, placeOf } from './faults.ts';
import { type Member, type MemberKind, memberKinds } from './members.ts';
import { type KindName, kinds, reservedNames } from './schema.ts';

export interface DesiredGroup {
  readonly path: string;
  readonly groupName: string;
  /** Null clears it; absent leaves it. */
  readonly organizationId?: string | null;
  readonly businessUnitId?: string | null;
  readonly roles?: readonly string[];
  readonly dependencies?: readonly string[];
  /** By kind: all members of that kind. A kind that is absent is left alone. */
  readonly members: Partial<Readonly<Record<MemberKind, readonly Member[]>>>;
}

export interface DesiredClient {
  readonly path: string;
  readonly clientId?: string;
  readonly serviceAccountId?: string;
  /** The other fields, as they are given. */
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

export interface Desired {
  readonly set?: string | undefined;
  readonly groups: readonly DesiredGroup[];
  readonly clients: readonly DesiredClient[];
  readonly apiKeys: readonly DesiredApiKey[];
  readonly corporateGroups: readonly DesiredCorporateGroup[];
  readonly customers: readonly DesiredCustomer[];
}

type Entry = Readonly<Record<string, unknown>>;

/** The documents as what they ask for. An entry that lacks what it must have is passed over: that is a fault by itself. */
export function desiredOf({ set, entries }: Pick<Documents, 'set' | 'entries'>): Desired {
  const all = <Wanted>(kind: KindName, make: (entry: Entry, path: string) => Wanted): Wanted[] =>
    entries[kind].flatMap((entry, at) => (isWhole(kind, entry) ? [make(entry, `${kind}/${at}`)] : []));
  const plainly = <Wanted>(entry: Entry, path: string) => ({ ...entry, path }) as unknown as Wanted;
  return {
    ...(set === undefined ? {} : { set }),
    groups: all('groups', groupOf),
    clients: all('clients', clientOf),
    apiKeys: all('apiKeys', plainly<DesiredApiKey>),
    corporateGroups: all('corporateGroups', plainly<DesiredCorporateGroup>),
    customers: all('customers', customerOf),
  };
}

function isWhole(kind: KindName, entry: Entry): boolean {
  return (kinds[kind].required ?? []).every((name) => entry[name] !== undefined);
}

function groupOf(entry: Entry, path: string): DesiredGroup {
  const { roles, dependencies, users, businesses, businessUsers, services, ...rest } = entry;
  const given = { user: users, business: businesses, businessUser: businessUsers, service: services };
  const members = memberKinds.flatMap((kind) =>
    given[kind] === undefined ? [] : [[kind, (given[kind] as unknown[]).map((value) => memberOf(kind, value))]],
  );
  return {
    ...(rest as unknown as DesiredGroup),
    path,
    ...(roles === undefined ? {} : { roles: (roles as string[]).map(bareRole) }),
    ...(dependencies === undefined
      ? {}
      : { dependencies: (dependencies as { groupName: string }[]).map(({ groupName }) => groupName) }),
    members: Object.fromEntries(members),
  };
}

function memberOf(kind: MemberKind, value: unknown): Member {
  if (kind !== 'businessUser') return { kind, id: String(value) };
  const { businessId, userId } = value as { businessId: string; userId: string };
  return { kind, id: userId, businessId };
}

function clientOf({ clientId, serviceAccountId, ...fields }: Entry, path: string): DesiredClient {
  const named = { clientId, serviceAccountId };
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return { path, ...given, fields };
}

function customerOf(entry: Entry, path: string): DesiredCustomer {
  const { businessId, userId, document, ...fields } = entry;
  const ids = Object.fromEntries(Object.entries({ businessId, userId }).filter(([, value]) => value !== undefined));
  return { path, kind: userId === undefined ? 'business' : 'user', ...ids, document: String(document), fields };
}

/** What can't be asked for, whatever server it is: names that are there twice, reserved roles, half of a customer. */
export function faultsOf(desired: Desired, { places }: Pick<Documents, 'places'>): Fault[] {
  const fault = (path: string, message: string): Fault => ({ place: placeOf(places, path), message });
  const twins = [
    ...twinsOf(desired.groups, ({ groupName }) => [`group ${groupName}`]),
    ...twinsOf(desired.clients, ({ clientId, serviceAccountId }) => [
      ...(clientId === undefined ? [] : [`client ${clientId}`]),
      ...(serviceAccountId === undefined ? [] : [`client of the service account ${serviceAccountId}`]),
    ]),
    ...twinsOf(desired.apiKeys, keyNames),
    ...twinsOf(desired.corporateGroups, ({ corporateGroupName }) => [`corporate group ${corporateGroupName}`]),
    ...twinsOf(desired.customers, ({ kind, document }) => [`${kind} with the document ${document}`]),
    ...twinsOf(desired.customers, ({ businessId, userId }) =>
      [`customer ${businessId ?? userId ?? ''}`].filter((name) => !name.endsWith(' ')),
    ),
  ];
  return [
    ...twins.map(({ path, name, first }) => fault(path, `${name} is there twice${seeAlso(placeOf(places, first))}`)),
    ...desired.groups.flatMap(({ path, roles = [] }) => roleFaults(path, roles, fault)),
    ...desired.clients.flatMap(({ path, clientId, serviceAccountId }) =>
      clientId === undefined && serviceAccountId === undefined
        ? [fault(path, 'a client needs a serviceAccountId or a clientId')]
        : [],
    ),
    ...desired.apiKeys.flatMap(({ path, clientId, serviceAccountId }) =>
      (clientId === undefined) === (serviceAccountId === undefined)
        ? [fault(path, 'an API key needs a clientId or a serviceAccountId')]
        : [],
    ),
    ...desired.customers.flatMap((customer) => customerFaults(customer, fault)),
    ...homeFaults(desired, fault),
    ...reservedFaults(desired, fault),
  ];
}

function keyNames({ apiKeyId, clientId, serviceAccountId, appId }: DesiredApiKey): string[] {
  return [apiKeyId === undefined ? `API key of ${clientId ?? serviceAccountId} for ${appId}` : `API key ${apiKeyId}`];
}

function seeAlso(place: ReturnType<typeof placeOf>): string {
  return place ? `; first in ${place.file}:${place.line}` : '';
}

interface Twin {
  readonly path: string;
  readonly name: string;
  readonly first: string;
}

function twinsOf<Entry extends { readonly path: string }>(
  entries: readonly Entry[],
  namesOf: (entry: Entry) => readonly string[],
): Twin[] {
  const seen = new Map<string, string>();
  return entries.flatMap((entry) =>
    namesOf(entry).flatMap((name) => {
      const first = seen.get(name);
      if (first === undefined) seen.set(name, entry.path);
      return first === undefined ? [] : [{ path: entry.path, name, first }];
    }),
  );
}

type MakeFault = (path: string, message: string) => Fault;

/** `A` and `ROLE_A` are one role, and some are given by the service alone. */
function roleFaults(path: string, roles: readonly string[], fault: MakeFault): Fault[] {
  return roles.flatMap((role, at) => {
    const place = `${path}/roles/${at}`;
    if (isReservedRole(role)) return [fault(place, `${role} is given by the service itself; no group can have it`)];
    return roles.indexOf(role) < at ? [fault(place, `the role ${role} is there twice`)] : [];
  });
}

function customerFaults({ path, kind, businessId, fields }: DesiredCustomer, fault: MakeFault): Fault[] {
  const { businessName, name, organizationId, businessUnitId } = fields;
  if (kind === 'business') {
    if (businessName === undefined) return [fault(path, 'a customer needs a businessName or a userId')];
    return name === undefined ? [] : [fault(`${path}/name`, 'the name of a business is its businessName')];
  }
  const strange = Object.entries({ businessId, businessName, organizationId, businessUnitId });
  return strange.flatMap(([field, value]) =>
    value === undefined ? [] : [fault(`${path}/${field}`, `a customer with a userId has no ${field}`)],
  );
}

/** A business is in one corporate group at most. */
function homeFaults({ corporateGroups }: Desired, fault: MakeFault): Fault[] {
  const homes = new Map<string, string>();
  return corporateGroups.flatMap(({ path, corporateGroupName, businesses = [] }) =>
    businesses.flatMap((businessId, at) => {
      const other = homes.get(businessId);
      homes.set(businessId, other ?? corporateGroupName);
      const message = `the business ${businessId} is in ${other} already, and in one corporate group at most`;
      return other === undefined || other === corporateGroupName ? [] : [fault(`${path}/businesses/${at}`, message)];
    }),
  );
}

function reservedFaults({ groups, clients, corporateGroups, customers }: Desired, fault: MakeFault): Fault[] {
  const named = [
    ...groups.map(({ path, groupName }) => [`${path}/groupName`, groupName] as const),
    ...clients.map(({ path, serviceAccountId }) => [`${path}/serviceAccountId`, serviceAccountId] as const),
    ...corporateGroups.map((one) => [`${one.path}/corporateGroupName`, one.corporateGroupName] as const),
    ...customers.map(({ path, businessId }) => [`${path}/businessId`, businessId] as const),
  ];
  return named.flatMap(([path, name]) =>
    name !== undefined && reservedNames.has(name) ? [fault(path, `${name} is a reserved word`)] : [],
  );
}
