/**
 * Applies the alternative contacts of seeded users. A contact with the same id, or without an id the same address, is
 * updated; other contacts of the user stay unchanged.
 */
import { contactKey, contactOf } from '../messaging/contacts.ts';
import { assertFactorsValid } from '../mfa/factor-validation.ts';
import { listAlternativeFactors } from '../mfa/factors.ts';
import type { Transaction } from '../store/store.ts';
import type { Factor, User } from '../store/tables.ts';
import { mergeOutcomes, type SeedOutcome } from './entries.ts';
import { SeedProblem } from './error.ts';
import type { SeedFactor } from './schema.ts';
import { omitUndefined, replaceIfChanged, type SeedDeps } from './seed-rows.ts';

/** @throws SeedProblem if an id belongs to another user; IamError if the contacts of the user conflict. */
export async function applyFactors(
  tx: Transaction,
  user: User,
  seeds: readonly SeedFactor[],
  deps: SeedDeps,
): Promise<SeedOutcome> {
  const present = await listAlternativeFactors(tx, user.userId);
  const updates: { readonly before: Factor | undefined; readonly after: Factor }[] = [];
  for (const seed of seeds) {
    const before = await findKnown(tx, user, present, seed);
    updates.push({ before, after: buildRow(seed, before, user, deps) });
  }
  const updatedIds = new Set(updates.map(({ after }) => after.factorId));
  if (updatedIds.size < updates.length) throw new SeedProblem(`${user.userId} contains a factor twice`);
  const others = present.filter(({ factorId }) => !updatedIds.has(factorId));
  assertFactorsValid(
    user,
    others,
    updates.map(({ after }) => after),
  );
  let outcome: SeedOutcome = 'unchanged';
  for (const { before, after } of updates) {
    // A new contact updates its user.
    if (!before) await tx.factors.insert(after);
    const applied = before ? await replaceIfChanged(before, after, (row) => tx.factors.replace(row)) : 'updated';
    outcome = mergeOutcomes(outcome, applied);
  }
  return outcome;
}

async function findKnown(
  tx: Transaction,
  { userId }: User,
  present: readonly Factor[],
  { id, email, mobile }: SeedFactor,
): Promise<Factor | undefined> {
  if (id === undefined) {
    const key = email === undefined && mobile === undefined ? undefined : contactKey(contactOf({ email, mobile }));
    return present.find((factor) => contactKey(contactOf(factor)) === key);
  }
  const known = await tx.factors.get(id);
  if (known && known.userId !== userId) throw new SeedProblem(`the factor ${id} of ${userId} belongs to another user`);
  return known;
}

function buildRow(seed: SeedFactor, before: Factor | undefined, { userId }: User, { ids, clock }: SeedDeps): Factor {
  const { contactType, email, mobile, tags = before?.tags ?? [], verified = true } = seed;
  return {
    factorId: before?.factorId ?? seed.id ?? ids.newId(),
    userId,
    contactType,
    ...omitUndefined({ email, mobile }),
    tags: [...new Set(tags)],
    verified,
    createdAt: before?.createdAt ?? clock.now().toISOString(),
  };
}
