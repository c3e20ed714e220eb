/**
 * The product system: products in the store, or a real product system over HTTP. Throws IamError
 * PRODUCT_SYSTEM_UNAVAILABLE if it does not respond.
 */
import type { Reader } from '../store/store.ts';
import { type Product, productName } from '../store/tables.ts';

/** A product by its id, or by alias and stock keeping unit together. */
export type ProductReference = { readonly productId: string } | { readonly productAlias: string; readonly sku: string };

/** `unsupported`: the product exists, but the product system does not implement this billing type. */
export type ProductLookup =
  | { readonly kind: 'found'; readonly product: Product }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unsupported' };

export interface ProductSystem {
  /** Looks up a product. The caller checks whether the product is sold with the billing type. */
  find(reference: ProductReference, billingType?: string): Promise<ProductLookup>;
}

/** Products in the store. A billing type is implemented if any product is sold with it. */
export function createEmbeddedProductSystem({ store }: { readonly store: Pick<Reader, 'products'> }): ProductSystem {
  return {
    async find(reference, billingType) {
      const product =
        'productId' in reference
          ? await store.products.get(reference.productId)
          : await store.products.getBy('named', productName(reference));
      if (!product) return { kind: 'unknown' };
      if (billingType === undefined || product.billingTypes.includes(billingType)) return { kind: 'found', product };
      const others = await store.products.find('billingType', billingType, { limit: 1 });
      return others.length > 0 ? { kind: 'found', product } : { kind: 'unsupported' };
    },
  };
}
