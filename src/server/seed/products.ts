/** Applies the products of a seed, matched by productId, or by alias and stock keeping unit. */

import type { Transaction } from '../store/store.ts';
import { type Product, productName } from '../store/tables.ts';
import type { AssertOnce, SeedOutcome } from './entries.ts';
import type { SeedProduct } from './schema.ts';
import { omitUndefined, replaceIfChanged, type SeedDeps } from './seed-rows.ts';

export async function applyProduct(
  tx: Transaction,
  seed: SeedProduct,
  { ids }: SeedDeps,
  assertOnce: AssertOnce,
): Promise<SeedOutcome> {
  const known =
    seed.productId === undefined
      ? await tx.products.getBy('named', productName(seed))
      : await tx.products.get(seed.productId);
  const productId = known?.productId ?? seed.productId ?? ids.newId();
  assertOnce(productId, seed.productAlias, seed.productId === undefined ? 'productAlias' : 'productId');
  const fields: Omit<Product, 'productId' | 'billingTypes'> & Partial<Product> = {
    ...omitUndefined(seed),
    productAlias: seed.productAlias,
    sku: seed.sku,
  };
  if (known) return replaceIfChanged<Product>(known, { ...known, ...fields }, (row) => tx.products.replace(row));
  await tx.products.insert({ billingTypes: [], ...fields, productId });
  return 'created';
}
