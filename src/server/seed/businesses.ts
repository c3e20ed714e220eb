/**
 * Applies the businesses of a seed with their customers and corporate groups. A business moves to the corporate group that
 * the seed specifies; other businesses stay in theirs.
 */
import { addCustomer } from '../directory/customers.ts';
import type { Transaction } from '../store/store.ts';
import type { Business, CorporateGroup } from '../store/tables.ts';
import { SeedError } from './error.ts';
import type { SeedBusiness, SeedCorporateGroup, SeedDocument } from './schema.ts';
import { omitUndefined, replaceIfChanged, type SeedDeps } from './seed-rows.ts';

export async function applyBusinesses(tx: Transaction, seed: SeedDocument, deps: SeedDeps): Promise<void> {
  for (const group of seed.corporateGroups ?? []) await applyCorporateGroup(tx, group, deps);
  const assignments = new Map<string, string>();
  for (const business of seed.businesses ?? []) {
    const row = await applyBusiness(tx, business, deps);
    await applyCustomer(tx, row, deps);
    if (business.corporateGroupName !== undefined)
      assignCorporateGroup(assignments, row.businessId, business.corporateGroupName);
  }
  for (const group of seed.corporateGroups ?? [])
    for (const businessId of group.businesses ?? [])
      assignCorporateGroup(assignments, businessId, group.corporateGroupName);
  for (const [businessId, corporateGroupName] of assignments) await moveBusiness(tx, businessId, corporateGroupName);
}

/** A business belongs to one corporate group at most, so a seed with two of them is ambiguous. */
function assignCorporateGroup(assignments: Map<string, string>, businessId: string, corporateGroupName: string): void {
  const other = assignments.get(businessId) ?? corporateGroupName;
  if (other !== corporateGroupName)
    throw new SeedError(`corporateGroups: ${businessId} can't be in both ${other} and ${corporateGroupName}`);
  assignments.set(businessId, corporateGroupName);
}

async function applyBusiness(tx: Transaction, seed: SeedBusiness, { ids, clock }: SeedDeps): Promise<Business> {
  const { corporateGroupName: _, ...fields } = seed;
  const known =
    (seed.businessId === undefined ? undefined : await tx.businesses.get(seed.businessId)) ??
    (seed.document === undefined ? undefined : await tx.businesses.getBy('document', seed.document));
  const row: Business = known
    ? { ...known, ...omitUndefined(fields) }
    : {
        ...omitUndefined(fields),
        businessName: seed.businessName,
        businessId: seed.businessId ?? ids.newId(),
        createdAt: clock.now().toISOString(),
      };
  await (known ? replaceIfChanged(known, row, (changed) => tx.businesses.replace(changed)) : tx.businesses.insert(row));
  return row;
}

/** Creates a customer for a business with a document, as the API does. */
async function applyCustomer(tx: Transaction, { businessId, document }: Business, { clock }: SeedDeps): Promise<void> {
  if (document === undefined) return;
  const known = await tx.customers.getBy('businessId', businessId);
  if (known) return replaceIfChanged(known, { ...known, document }, (row) => tx.customers.replace(row));
  await addCustomer(tx, { businessId, document, createdAt: clock.now().toISOString() });
}

async function applyCorporateGroup(tx: Transaction, seed: SeedCorporateGroup, { ids, clock }: SeedDeps): Promise<void> {
  const { businesses: _, corporateGroupName, ...rest } = seed;
  const fields = { ...omitUndefined(rest), corporateGroupName };
  const known =
    (seed.corporateGroupId === undefined ? undefined : await tx.corporateGroups.get(seed.corporateGroupId)) ??
    (await tx.corporateGroups.getBy('corporateGroupName', corporateGroupName));
  if (known)
    return replaceIfChanged(known, { ...known, ...fields, corporateGroupId: known.corporateGroupId }, (row) =>
      tx.corporateGroups.replace(row),
    );
  await tx.corporateGroups.insert({
    ...fields,
    corporateGroupId: seed.corporateGroupId ?? ids.newId(),
    businesses: [],
    createdAt: clock.now().toISOString(),
  });
}

async function moveBusiness(tx: Transaction, businessId: string, corporateGroupName: string): Promise<void> {
  if (!(await tx.businesses.get(businessId)))
    throw new SeedError(`corporateGroups: ${corporateGroupName} refers to ${businessId}, which does not exist`);
  const target = await tx.corporateGroups.getBy('corporateGroupName', corporateGroupName);
  if (!target) throw new SeedError(`businesses: ${businessId} refers to ${corporateGroupName}, which does not exist`);
  const before = await tx.corporateGroups.getBy('business', businessId);
  if (before?.corporateGroupId === target.corporateGroupId) return;
  if (before) await tx.corporateGroups.replace(withoutBusiness(before, businessId));
  await tx.corporateGroups.replace({ ...target, businesses: [...target.businesses, businessId] });
}

function withoutBusiness(group: CorporateGroup, businessId: string): CorporateGroup {
  return { ...group, businesses: group.businesses.filter((other) => other !== businessId) };
}
