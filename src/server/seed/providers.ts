/** Applies the identity providers of a seed, matched by name; existing ones are replaced. */
import type { Transaction } from '../store/store.ts';
import type { SeedEntries, SeedOutcome } from './entries.ts';
import type { SeedProvider } from './schema.ts';
import { replaceIfChanged } from './seed-rows.ts';

/** @throws SeedError if a name occurs twice, which is ambiguous. */
export async function applyProviders(
  tx: Transaction,
  seeds: readonly SeedProvider[] | undefined,
  entries: SeedEntries,
): Promise<void> {
  await entries.each('providers', seeds, async (seed, assertOnce) => {
    assertOnce(seed.name, seed.name, 'name');
    return applyProvider(tx, seed);
  });
}

async function applyProvider(tx: Transaction, seed: SeedProvider): Promise<SeedOutcome> {
  const row = seed.kind === 'certificateAuthority' ? seed : { ...seed, emailDomains: seed.emailDomains ?? [] };
  const known = await tx.providers.get(row.name);
  if (known) return replaceIfChanged(known, row, (changed) => tx.providers.replace(changed));
  await tx.providers.insert(row);
  return 'created';
}
