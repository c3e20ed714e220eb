/**
 * Applies the businesses of a seed with their customers and corporate groups. A business moves to the corporate group that
 * the seed specifies; other businesses stay in theirs.
 */
import { addCustomer } from '../directory/customers.ts';
import type { Transaction } from '../store/store.ts';
import type { Business, CorporateGroup } from '../store/tables.ts';
import { type AssertOnce, mergeOutcomes, type SeedEntries, type SeedOutcome } from './entries.ts';
import { SeedProblem } from './error.ts';
import type { SeedBusiness, SeedCorporateGroup, SeedDocument } from './schema.ts';
import { omitUndefined, replaceIfChanged, type SeedDeps } from './seed-rows.ts';

export async function applyBusinesses(
  tx: Transaction,
  seed: SeedDocument,
  deps: SeedDeps,
  entries: SeedEntries,
): Promise<void> {
  const { businesses, corporateGroups } = seed;
  const ids = new Map<SeedBusiness, string>();
  const assignments = createAssignments();
  const moves = new BusinessMoves(tx);
  await entries.each('corporateGroups', corporateGroups, (group, assertOnce) =>
    applyCorporateGroup(tx, group, deps, assertOnce),
  );
  await entries.each('businesses', businesses, async (business, assertOnce) => {
    const { row, outcome } = await applyBusiness(tx, business, deps);
    assertOnce(row.businessId, row.businessName, business.businessId === undefined ? 'document' : 'businessId');
    ids.set(business, row.businessId);
    return mergeOutcomes(outcome, await applyCustomer(tx, row, deps));
  });
  await entries.each('businesses', businesses, async (business) => {
    const { corporateGroupName } = business;
    const businessId = ids.get(business);
    if (corporateGroupName === undefined || businessId === undefined) return 'unchanged';
    assignments.add(businessId, corporateGroupName);
    return moves.move(businessId, corporateGroupName);
  });
  await entries.each('corporateGroups', corporateGroups, async ({ businesses: members = [], corporateGroupName }) => {
    let outcome: SeedOutcome = 'unchanged';
    for (const businessId of members) {
      assignments.add(businessId, corporateGroupName);
      outcome = mergeOutcomes(outcome, await moves.move(businessId, corporateGroupName));
    }
    return outcome;
  });
  await moves.write();
}

/** A business belongs to one corporate group at most, so a seed with two of them is ambiguous. */
function createAssignments() {
  const names = new Map<string, string>();
  return {
    /** @throws SeedProblem if the seed has assigned the business to another corporate group. */
    add(businessId: string, corporateGroupName: string): void {
      const other = names.get(businessId) ?? corporateGroupName;
      if (other !== corporateGroupName)
        throw new SeedProblem(`${businessId} can't be in both ${other} and ${corporateGroupName}`);
      names.set(businessId, corporateGroupName);
    },
  };
}

async function applyBusiness(
  tx: Transaction,
  seed: SeedBusiness,
  { ids, clock }: SeedDeps,
): Promise<{ readonly row: Business; readonly outcome: SeedOutcome }> {
  const { corporateGroupName: _, ...fields } = seed;
  const known =
    (seed.businessId === undefined ? undefined : await tx.businesses.get(seed.businessId)) ??
    (seed.document === undefined ? undefined : await tx.businesses.getBy('document', seed.document));
  if (known) {
    const row: Business = { ...known, ...omitUndefined(fields) };
    return { row, outcome: await replaceIfChanged(known, row, (changed) => tx.businesses.replace(changed)) };
  }
  const row: Business = {
    ...omitUndefined(fields),
    businessName: seed.businessName,
    businessId: seed.businessId ?? ids.newId(),
    createdAt: clock.now().toISOString(),
  };
  await tx.businesses.insert(row);
  return { row, outcome: 'created' };
}

/** Creates a customer for a business with a document, as the API does. */
async function applyCustomer(
  tx: Transaction,
  { businessId, document }: Business,
  { clock }: SeedDeps,
): Promise<SeedOutcome> {
  if (document === undefined) return 'unchanged';
  const known = await tx.customers.getBy('businessId', businessId);
  if (known) return replaceIfChanged(known, { ...known, document }, (row) => tx.customers.replace(row));
  await addCustomer(tx, { businessId, document, createdAt: clock.now().toISOString() });
  return 'updated';
}

async function applyCorporateGroup(
  tx: Transaction,
  seed: SeedCorporateGroup,
  { ids, clock }: SeedDeps,
  assertOnce: AssertOnce,
): Promise<SeedOutcome> {
  const { businesses: _, corporateGroupName, ...rest } = seed;
  const fields = { ...omitUndefined(rest), corporateGroupName };
  const known =
    (seed.corporateGroupId === undefined ? undefined : await tx.corporateGroups.get(seed.corporateGroupId)) ??
    (await tx.corporateGroups.getBy('corporateGroupName', corporateGroupName));
  const corporateGroupId = known?.corporateGroupId ?? seed.corporateGroupId ?? ids.newId();
  assertOnce(corporateGroupId, corporateGroupName, 'corporateGroupName');
  if (known)
    return replaceIfChanged(known, { ...known, ...fields, corporateGroupId }, (row) => tx.corporateGroups.replace(row));
  await tx.corporateGroups.insert({
    ...fields,
    corporateGroupId,
    businesses: [],
    createdAt: clock.now().toISOString(),
  });
  return 'created';
}

interface Home {
  readonly before: CorporateGroup;
  /** In their order. */
  readonly businesses: Set<string>;
}

/** Collects moves between corporate groups: each group is written once, as its row lists all of its businesses. */
class BusinessMoves {
  readonly #tx: Transaction;
  /** By id. */
  readonly #homes = new Map<string, Home>();
  readonly #homesByName = new Map<string, Home>();
  readonly #moved = new Map<string, Home>();

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** @throws SeedProblem if the business or the corporate group does not exist. */
  async move(businessId: string, corporateGroupName: string): Promise<SeedOutcome> {
    if (!(await this.#tx.businesses.get(businessId)))
      throw new SeedProblem(`${corporateGroupName} refers to ${businessId}, which does not exist`);
    const target = await this.#findByName(corporateGroupName);
    if (!target) throw new SeedProblem(`${businessId} refers to ${corporateGroupName}, which does not exist`);
    const current = this.#moved.get(businessId) ?? (await this.#findByBusiness(businessId));
    if (current === target) return 'unchanged';
    current?.businesses.delete(businessId);
    target.businesses.add(businessId);
    this.#moved.set(businessId, target);
    return 'updated';
  }

  /** A business leaves its former group before it joins the new one: it is in one at most. */
  async write(): Promise<void> {
    for (const { before, businesses } of this.#homes.values()) {
      const remaining = before.businesses.filter((businessId) => businesses.has(businessId));
      if (remaining.length < before.businesses.length) await this.#replace(before, remaining);
    }
    for (const { before, businesses } of this.#homes.values())
      if ([...businesses].some((businessId) => this.#moved.has(businessId)))
        await this.#replace(before, [...businesses]);
  }

  async #findByName(name: string): Promise<Home | undefined> {
    const known = this.#homesByName.get(name);
    if (known) return known;
    const home = this.#toHome(await this.#tx.corporateGroups.getBy('corporateGroupName', name));
    if (home) this.#homesByName.set(name, home);
    return home;
  }

  async #findByBusiness(businessId: string): Promise<Home | undefined> {
    return this.#toHome(await this.#tx.corporateGroups.getBy('business', businessId));
  }

  #toHome(before: CorporateGroup | undefined): Home | undefined {
    if (!before) return undefined;
    const home = this.#homes.get(before.corporateGroupId) ?? { before, businesses: new Set(before.businesses) };
    this.#homes.set(before.corporateGroupId, home);
    return home;
  }

  #replace(before: CorporateGroup, businesses: readonly string[]): Promise<void> {
    return this.#tx.corporateGroups.replace({ ...before, businesses: [...businesses] });
  }
}
