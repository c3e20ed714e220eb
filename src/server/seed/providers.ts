/** The identity providers of a seed, by name: what a seed says of one takes the place of what was there. */
import type { Transaction } from '../store/store.ts';
import { replaceIfChanged } from './apply.ts';
import { SeedError } from './error.ts';
import type { SeedProvider } from './schema.ts';

/** @throws SeedError where two of one name are told, since they could never be applied twice alike. */
export async function applyProviders(tx: Transaction, seeds: readonly SeedProvider[]): Promise<void> {
  const names = new Set<string>();
  for (const seed of seeds) {
    if (names.has(seed.name)) throw new SeedError(`providers: ${seed.name} is there twice`);
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
