/** Products and opaque product tokens. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { epoch, names, secret, text } from './fields.ts';

/** A product of the embedded product system. */
export const ProductRow = z
  .strictObject({ productId: text, productAlias: text, sku: text, billingTypes: names })
  .readonly();

export type Product = z.infer<typeof ProductRow>;

/** An opaque product token, by its hash. */
export const OpaqueTokenRow = z
  .strictObject({
    tokenHash: secret,
    userId: text.optional(),
    clientId: text,
    productId: text,
    billingType: text.optional(),
    expiresAt: epoch,
  })
  .readonly();

/** The value of the unique index `named`: product alias and stock keeping unit (SKU). */
export function productName({ productAlias, sku }: Pick<Product, 'productAlias' | 'sku'>): string {
  return `${productAlias}\n${sku}`;
}

export const productTable = defineTable(ProductRow, (row) => row.productId, {
  unique: { named: (row) => productName(row) },
  index: { billingType: (row) => row.billingTypes },
});

export const opaqueTokenTable = defineTable(OpaqueTokenRow, (row) => row.tokenHash, {
  unique: {},
  index: { userId: (row) => row.userId },
});
