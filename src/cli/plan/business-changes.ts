/** What changes of corporate groups and customers, and what of it can't be done through the interface. Pure. */
import { type CorporateGroupChange, type CustomerChange, given, listChange, valueChange } from './changes.ts';
import type { Outcome } from './client-changes.ts';
import type { DesiredCorporateGroup, DesiredCustomer } from './desired.ts';
import type { Index } from './matching.ts';
import type { CorporateGroupState, CustomerState } from './state.ts';

/** The change of one corporate group. */
export function corporateGroupChange(desired: DesiredCorporateGroup, index: Index): CorporateGroupChange[] {
  const before = index.corporateGroup(desired.corporateGroupName);
  const organizationId = given(desired.organizationId, before?.organizationId);
  const businesses = desired.businesses ?? before?.businesses ?? [];
  const after = {
    corporateGroupName: desired.corporateGroupName,
    ...(organizationId === undefined ? {} : { organizationId }),
    businesses,
  };
  const fields = [
    ...valueChange('organizationId', before?.organizationId, organizationId),
    ...listChange('businesses', before?.businesses ?? [], businesses),
  ];
  if (before && fields.length === 0) return [];
  const found = { kind: 'corporateGroup', name: desired.corporateGroupName, fields, after } as const;
  return [
    before ? { ...found, action: 'update', id: before.corporateGroupId, before } : { ...found, action: 'create' },
  ];
}

/** A corporate group that goes; its businesses stay. */
export function corporateGroupRemoval(before: CorporateGroupState): CorporateGroupChange {
  const { corporateGroupId: id, corporateGroupName: name, businesses } = before;
  return {
    action: 'delete',
    kind: 'corporateGroup',
    name,
    id,
    fields: listChange('businesses', businesses, []),
    before,
  };
}

/** The change of one customer: it is made, or as it is. */
export function customerChange(desired: DesiredCustomer, index: Index): Outcome<CustomerChange> {
  const known = index.customer(desired);
  if (known) return knownCustomer(desired, known, index);
  const { path, kind, businessId, userId, document, fields } = desired;
  const owner = index.documentOwner(desired);
  if (owner)
    return {
      changes: [],
      refusals: [
        {
          path: `${path}/document`,
          message: `the document ${document} is that of ${owner.businessId ?? owner.userId}`,
        },
      ],
    };
  if (businessId !== undefined && index.business(businessId))
    return {
      changes: [],
      refusals: [
        { path, message: `the business ${businessId} is there and no customer; the interface can't make it one` },
      ],
    };
  const operation = kind === 'user' ? 'customers.create-user' : 'customers.create-business';
  const ids = { ...(businessId === undefined ? {} : { businessId }), ...(userId === undefined ? {} : { userId }) };
  const body = { ...ids, document, ...fields };
  const shown = Object.entries({ document, ...fields }).flatMap(([field, value]) =>
    valueChange(field, undefined, value),
  );
  const name = userId ?? businessId ?? String(fields.businessName);
  return { changes: [{ action: 'create', kind: 'customer', name, fields: shown, operation, body }], refusals: [] };
}

function knownCustomer(
  { path, kind, document, fields }: DesiredCustomer,
  known: CustomerState,
  index: Index,
): Outcome<CustomerChange> {
  const business = known.businessId === undefined ? undefined : index.business(known.businessId);
  const current: Readonly<Record<string, unknown>> =
    kind === 'user'
      ? { ...known }
      : { ...business, document: known.document, businessName: business?.businessName ?? known.name };
  const different = Object.entries({ document, ...fields }).filter(([field, value]) => current[field] !== value);
  return {
    changes: [],
    refusals: different.map(([field]) => ({
      path: `${path}/${field}`,
      message: `${field} of the customer ${known.customerId} is ${current[field] ?? 'not set'}; the interface can't change it`,
    })),
  };
}
