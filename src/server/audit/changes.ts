/** What a request changed, from the rows before and after: without sensitive fields, and within a limit. */
import type { AuditObject } from '../../contract/audit.ts';
import type { FieldDifference } from '../../contract/changes/field-lines.ts';
import { nameEntity } from '../directory/entity-names.ts';
import { actionOf, type ChangeAction, createSecretChecks, diffFields } from '../snapshots/dump-diff.ts';
import type { CommittedChanges, RowWrite } from '../store/observe-commits.ts';
import { type Membership, membershipKey, type Row, type TableName } from '../store/tables.ts';

export interface ObjectChange extends AuditObject {
  readonly action: ChangeAction;
  /** A sensitive field is only named. */
  readonly fields: readonly FieldDifference[];
}

/** The changes of one request. */
export interface ChangeReport {
  /** The changed objects, and those that they belong to. */
  readonly objects: readonly AuditObject[];
  /** The changes as the JSON of a list of `ObjectChange`, which limits the size of an event; undefined without any. */
  readonly changesText: string | undefined;
  /** Whether changes or values are left out, as they are too many or too long. */
  readonly isTruncated: boolean;
}

interface DescribedRow extends AuditObject {
  /** The objects that it belongs to. */
  readonly of?: readonly AuditObject[];
  /** False for a row that has no page: only the objects it belongs to are found by it. */
  readonly isObject?: false;
}

type Describers = { readonly [Name in TableName]?: (row: Row<Name>) => DescribedRow };

const describers = {
  users: (row) => ({ entity: 'user', id: row.userId, name: nameEntity.user(row) }),
  groups: (row) => ({ entity: 'group', id: row.groupId, name: nameEntity.group(row) }),
  clients: (row) => ({ entity: 'client', id: row.clientId, name: nameEntity.client(row) }),
  businesses: (row) => ({ entity: 'business', id: row.businessId, name: nameEntity.business(row) }),
  corporateGroups: (row) => ({
    ...{ entity: 'corporateGroup', id: row.corporateGroupId, name: nameEntity.corporateGroup(row) },
    of: row.businesses.map((id) => ({ entity: 'business', id })),
  }),
  customers: ({ customerId, name, userId, businessId }) => ({
    ...{ entity: 'customer', id: String(customerId), name },
    of: [...referTo('user', userId), ...referTo('business', businessId)],
  }),
  apiKeys: (row) => ({
    ...{ entity: 'apiKey', id: row.apiKeyId, name: nameEntity.apiKey(row) },
    of: referTo('client', row.clientId),
  }),
  memberships: (row) => ({ entity: 'membership', id: membershipKey(row), of: listEnds(row), isObject: false }),
  factors: ({ factorId, userId }) => ({ entity: 'factor', id: factorId, of: referTo('user', userId) }),
  devices: ({ deviceKey, deviceName, userId }) => ({
    ...{ entity: 'device', id: deviceKey, name: deviceName },
    of: referTo('user', userId),
  }),
  logons: ({ logon }) => ({ entity: 'logon', id: logon }),
  products: ({ productId, productAlias }) => ({ entity: 'product', id: productId, name: productAlias }),
  providers: ({ name }) => ({ entity: 'provider', id: name }),
} as const satisfies Describers;

/** Tables whose rows are objects that requests administer, and not those of logins and codes. */
export const auditedTables: ReadonlySet<TableName> = new Set(Object.keys(describers) as (keyof typeof describers)[]);

function referTo(entity: AuditObject['entity'], id: string | undefined): AuditObject[] {
  return id === undefined ? [] : [{ entity, id }];
}

/** The group and the member. A service is known by the id of its account. */
function listEnds({ groupId, kind, memberId, businessId }: Membership): AuditObject[] {
  const member = { user: 'user', businessUser: 'user', business: 'business', service: 'client' } as const;
  return [{ entity: 'group', id: groupId }, { entity: member[kind], id: memberId }, ...referTo('business', businessId)];
}

/** Fields that the server changes by itself when a user logs in. */
const bookkeeping: ReadonlySet<string> = new Set(['knownSources', 'mfaSources', 'replacedHash']);

/** Max length of the changes of one event, as JSON. */
const maxLength = 4_096;

export type ChangeDescriber = (commits: readonly CommittedChanges[]) => ChangeReport;

export function createChangeDescriber(): ChangeDescriber {
  const checkOf = createSecretChecks();
  return (commits) => {
    const objects = new Map<string, AuditObject>();
    const texts: string[] = [];
    let isTruncated = commits.some(({ isIncomplete }) => isIncomplete);
    let left = maxLength;
    for (const row of commits.flatMap(({ rows }) => rows)) {
      const all = diffFields(row.before ?? {}, row.after ?? {}, checkOf(row.table));
      const fields = all.filter(({ field }) => !bookkeeping.has(field));
      if (fields.length === 0) continue;
      const { of = [], isObject, ...object } = describe(row);
      for (const one of isObject === false ? of : [object, ...of]) {
        const key = `${one.entity} ${one.id}`;
        if (!objects.has(key) || one.name !== undefined) objects.set(key, one);
      }
      const limited = limitLength({ ...object, action: actionOf(row), fields }, left);
      isTruncated ||= limited.isTruncated;
      if (limited.text !== '') texts.push(limited.text);
      left -= limited.text.length;
    }
    const changesText = texts.length === 0 ? undefined : `[${texts.join(',')}]`;
    return { objects: [...objects.values()], changesText, isTruncated };
  };
}

function describe({ table, before, after }: RowWrite): DescribedRow {
  const describeRow = describers[table as keyof typeof describers] as unknown as (row: unknown) => DescribedRow;
  return describeRow(after ?? before);
}

interface LimitedChange {
  /** The change as JSON; empty if it is left out. */
  readonly text: string;
  readonly isTruncated: boolean;
}

/** Leaves out the values of fields that are too long, or the whole change. */
function limitLength(change: ObjectChange, length: number): LimitedChange {
  const text = JSON.stringify(change);
  if (text.length <= length) return { text, isTruncated: false };
  let left = length - JSON.stringify({ ...change, fields: change.fields.map(({ field }) => ({ field })) }).length;
  if (left < 0) return { text: '', isTruncated: true };
  const fields = change.fields.map(({ field, ...values }) => {
    const size = JSON.stringify(values).length;
    if (size > left) return { field };
    left -= size;
    return { field, ...values };
  });
  return { text: JSON.stringify({ ...change, fields }), isTruncated: true };
}
