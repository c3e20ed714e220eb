/**
 * The alternative contacts of seeded users. One that is there with the same id, or where none is given with the same
 * contact, is brought to what the seed says; others of the user stay as they are.
 */
import { contactKey } from '../identity/contacts.ts';
import { requireFitting } from '../identity/factor-rules.ts';
import { alternativesOf, contactOf } from '../identity/factors.ts';
import type { Transaction } from '../store/store.ts';
import type { Factor, User } from '../store/tables.ts';
import { given, replaceIfChanged, type SeedParts } from './apply.ts';
import { SeedError } from './error.ts';
import type { SeedFactor } from './schema.ts';

/** @throws SeedError where an id is another user's; IamError where the contacts of the user do not fit together. */
export async function applyFactors(
  tx: Transaction,
  user: User,
  seeds: readonly SeedFactor[],
  parts: SeedParts,
): Promise<void> {
  const present = await alternativesOf(tx, user.userId);
  const wished: { readonly before: Factor | undefined; readonly after: Factor }[] = [];
  for (const seed of seeds) {
    const before = await knownOf(tx, user, present, seed);
    wished.push({ before, after: rowOf(seed, before, user, parts) });
  }
  const mentioned = new Set(wished.map(({ after }) => after.factorId));
  if (mentioned.size < wished.length) throw new SeedError(`users: ${user.userId} has one factor twice`);
  const others = present.filter(({ factorId }) => !mentioned.has(factorId));
  requireFitting(
    user,
    others,
    wished.map(({ after }) => after),
  );
  for (const { before, after } of wished)
    await (before ? replaceIfChanged(before, after, (row) => tx.factors.replace(row)) : tx.factors.insert(after));
}

async function knownOf(
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
  if (known && known.userId !== userId) throw new SeedError(`users: the factor ${id} of ${userId} is another user's`);
  return known;
}

function rowOf(seed: SeedFactor, before: Factor | undefined, { userId }: User, { ids, clock }: SeedParts): Factor {
  const { contactType, email, mobile, tags = before?.tags ?? [], verified = true } = seed;
  return {
    factorId: before?.factorId ?? seed.id ?? ids.newId(),
    userId,
    contactType,
    ...given({ email, mobile }),
    tags: [...new Set(tags)],
    verified,
    createdAt: before?.createdAt ?? clock.now().toISOString(),
  };
}
