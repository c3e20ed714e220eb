/** Applies the identity providers of a seed, matched by name; existing ones are replaced. */
import type { Transaction } from '../store/store.ts';
import { SeedError } from './error.ts';
import type { SeedProvider } from './schema.ts';
import { replaceIfChanged } from './seed-rows.ts';

/** @throws SeedError if a name occurs twice, which is ambiguous. */
export async function applyProviders(tx: Transaction, seeds: readonly SeedProvider[]): Promise<void> {
  const names = new Set<string>();
  for (const seed of seeds) {
    if (names.has(seed.name)) throw new SeedError(`providers: ${seed.name} is defined twice`);
    names.add(seed.name);
    await applyProvider(tx, seed);
  }
}

async function applyProvider(tx: Transaction, seed: SeedProvider): Promise<void> {
  const row = seed.kind === 'certificateAuthority' ? seed : { ...seed, emailDomains: seed.emailDomains ?? [] };
  const known = await tx.providers.get(row.name);
  if (known) return replaceIfChanged(known, row, (changed) => tx.providers.replace(changed));
  await tx.providers.insert(row);
}
