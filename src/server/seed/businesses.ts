/**
 * The businesses of a seed, the customers that they are, and the corporate groups that they are in. What a seed says of
 * one business counts, wherever it was before; businesses that it does not mention stay where they are.
 */
import { addCustomer } from '../identity/customers.ts';
import type { Transaction } from '../store/store.ts';
import type { Business, CorporateGroup } from '../store/tables.ts';
import { omitUndefined, replaceIfChanged, type SeedDeps } from './apply.ts';
import { SeedError } from './error.ts';
import type { SeedBusiness, SeedCorporateGroup, SeedDocument } from './schema.ts';

export async function applyBusinesses(tx: Transaction, seed: SeedDocument, deps: SeedDeps): Promise<void> {
  for (const group of seed.corporateGroups ?? []) await applyCorporateGroup(tx, group, deps);
  const homes = new Map<string, string>();
  for (const business of seed.businesses ?? []) {
    const row = await applyBusiness(tx, business, deps);
    await applyCustomer(tx, row, deps);
    if (business.corporateGroupName !== undefined)
      assignCorporateGroup(homes, row.businessId, business.corporateGroupName);
  }
  for (const group of seed.corporateGroups ?? [])
    for (const businessId of group.businesses ?? []) assignCorporateGroup(homes, businessId, group.corporateGroupName);
  for (const [businessId, corporateGroupName] of homes) await moveBusiness(tx, businessId, corporateGroupName);
}

/** A business is in one corporate group at most, so a seed that names two of them could never be applied twice alike. */
function assignCorporateGroup(homes: Map<string, string>, businessId: string, corporateGroupName: string): void {
  const other = homes.get(businessId) ?? corporateGroupName;
  if (other !== corporateGroupName)
    throw new SeedError(`corporateGroups: ${businessId} is to be in ${other} and in ${corporateGroupName}`);
  homes.set(businessId, corporateGroupName);
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

/** A business with a document is a customer, as one that is made by the interface. */
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
    throw new SeedError(`corporateGroups: ${corporateGroupName} names ${businessId}, which is not there`);
  const home = await tx.corporateGroups.getBy('corporateGroupName', corporateGroupName);
  if (!home) throw new SeedError(`businesses: ${businessId} names ${corporateGroupName}, which is not there`);
  const before = await tx.corporateGroups.getBy('business', businessId);
  if (before?.corporateGroupId === home.corporateGroupId) return;
  if (before) await tx.corporateGroups.replace(withoutBusiness(before, businessId));
  await tx.corporateGroups.replace({ ...home, businesses: [...home.businesses, businessId] });
}

function withoutBusiness(group: CorporateGroup, businessId: string): CorporateGroup {
  return { ...group, businesses: group.businesses.filter((other) => other !== businessId) };
}
