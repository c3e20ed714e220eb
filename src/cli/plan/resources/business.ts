/** Corporate groups and customers: their changes, those that the API does not support, and their writes. */

import { type CorporateGroupChange, type CustomerChange, diffList, diffValue, resolveValue } from '../changes.ts';
import type { DesiredCorporateGroup, DesiredCustomer } from '../desired-state.ts';
import { type StepWriter, unwrapResult } from '../execution.ts';
import type { RemoteCorporateGroup, RemoteCustomer } from '../remote-state.ts';
import type { ResourceIndex } from '../resource-index.ts';
import type { DiffResult } from './client.ts';
import { type Entity, removeEntity, updateEntity } from './entity-writes.ts';

/** Computes the change of one corporate group. */
export function diffCorporateGroup(desired: DesiredCorporateGroup, index: ResourceIndex): CorporateGroupChange[] {
  const before = index.corporateGroup(desired.corporateGroupName);
  const organizationId = resolveValue(desired.organizationId, before?.organizationId);
  const businesses = desired.businesses ?? before?.businesses ?? [];
  const after = {
    corporateGroupName: desired.corporateGroupName,
    ...(organizationId === undefined ? {} : { organizationId }),
    businesses,
  };
  const fields = [
    ...diffValue('organizationId', before?.organizationId, organizationId),
    ...diffList('businesses', before?.businesses ?? [], businesses),
  ];
  if (before && fields.length === 0) return [];
  const change = { kind: 'corporateGroup', name: desired.corporateGroupName, fields, after } as const;
  return [
    before ? { ...change, action: 'update', id: before.corporateGroupId, before } : { ...change, action: 'create' },
  ];
}

/** Builds the deletion of a corporate group; its businesses are not deleted. */
export function buildCorporateGroupRemoval(before: RemoteCorporateGroup): CorporateGroupChange {
  const { corporateGroupId: id, corporateGroupName: name, businesses } = before;
  return {
    action: 'delete',
    kind: 'corporateGroup',
    name,
    id,
    fields: diffList('businesses', businesses, []),
    before,
  };
}

/** Computes the change of one customer: customers can be created but not updated. */
export function diffCustomer(desired: DesiredCustomer, index: ResourceIndex): DiffResult<CustomerChange> {
  const known = index.customer(desired);
  if (known) return diffExistingCustomer(desired, known, index);
  const { path, kind, businessId, userId, document, fields } = desired;
  const owner = index.documentOwner(desired);
  if (owner)
    return {
      changes: [],
      issues: [
        {
          path: `${path}/document`,
          message: `the document ${document} belongs to ${owner.businessId ?? owner.userId}`,
        },
      ],
    };
  if (businessId !== undefined && index.business(businessId))
    return {
      changes: [],
      issues: [{ path, message: `the business ${businessId} exists but is not a customer; the API can't make it one` }],
    };
  const operation = kind === 'user' ? 'customers.create-user' : 'customers.create-business';
  const ids = { ...(businessId === undefined ? {} : { businessId }), ...(userId === undefined ? {} : { userId }) };
  const body = { ...ids, document, ...fields };
  const fieldChanges = Object.entries({ document, ...fields }).flatMap(([field, value]) =>
    diffValue(field, undefined, value),
  );
  const name = userId ?? businessId ?? String(fields.businessName);
  return { changes: [{ action: 'create', kind: 'customer', name, fields: fieldChanges, operation, body }], issues: [] };
}

function diffExistingCustomer(
  { path, kind, document, fields }: DesiredCustomer,
  known: RemoteCustomer,
  index: ResourceIndex,
): DiffResult<CustomerChange> {
  const business = known.businessId === undefined ? undefined : index.business(known.businessId);
  const current: Readonly<Record<string, unknown>> =
    kind === 'user'
      ? { ...known }
      : { ...business, document: known.document, businessName: business?.businessName ?? known.name };
  const different = Object.entries({ document, ...fields }).filter(([field, value]) => current[field] !== value);
  return {
    changes: [],
    issues: different.map(([field]) => ({
      path: `${path}/${field}`,
      message: `${field} of the customer ${known.customerId} is ${current[field] ?? 'not set'}; the API can't change it`,
    })),
  };
}

type EntityBody = Readonly<Record<string, unknown>>;

const writeCustomer: StepWriter<'customer'> = async ({ deps }, { change: { operation, body } }) => {
  unwrapResult(await deps.call(operation, { body }));
};

const writeCorporateGroup: StepWriter<'corporateGroup'> = async (execution, { change, release }) => {
  const { action, name, id = '', fields, before, after } = change;
  const { deps, record } = execution;
  if (action === 'create') {
    const body = unwrapResult(
      await deps.call('corporate-groups.create', { body: buildCorporateGroupBody({ ...after }) }),
    );
    return record('made', { kind: 'corporateGroup', id: String(body?.corporateGroupId), name });
  }
  const entity = createCorporateGroupEntity(name, id);
  if (action === 'delete') {
    await removeEntity(execution, entity, { ...before });
    return record('gone', { kind: 'corporateGroup', id, name });
  }
  const { removed = [] } = fields.find(({ field }) => field === 'businesses') ?? {};
  await updateEntity(execution, entity, release ? [{ field: 'businesses', added: [], removed }] : fields);
};

export const businessWriters = { customer: writeCustomer, corporateGroup: writeCorporateGroup };

function createCorporateGroupEntity(name: string, corporateGroupId: string): Entity {
  return {
    title: `the corporate group ${name}`,
    get: 'corporate-groups.get',
    update: 'corporate-groups.update',
    remove: 'corporate-groups.remove',
    params: { corporateGroupId },
    missing: 'CORPORATE_GROUP_NOT_FOUND',
    plain: (body) => ({
      ...body,
      businesses: (body.businesses as { businessId: string }[]).map(({ businessId }) => businessId),
    }),
    body: buildCorporateGroupBody,
  };
}

function buildCorporateGroupBody({ corporateGroupId: _, businesses, ...resource }: EntityBody): EntityBody {
  return { ...resource, businesses: (businesses as string[]).map((businessId) => ({ businessId })) };
}
