/**
 * The product system: products of the store, or a real one over HTTP. It throws IamError PRODUCT_SYSTEM_UNAVAILABLE where
 * it does not answer.
 */
import { type Product, productName } from '../store/tables.ts';
import type { IntegrationDeps } from './integrations.ts';
import { createHttpProductSystem } from './product-system-http.ts';

/** A product by its id, or by alias and stock keeping unit together. */
export type ProductReference = { readonly productId: string } | { readonly productAlias: string; readonly sku: string };

/** `unsupported`: there is such a product, but the product system implements nothing of this billing type. */
export type ProductLookup =
  | { readonly kind: 'found'; readonly product: Product }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unsupported' };

export interface ProductSystem {
  /** Looks a product up. Whether it is sold with the billing type is for the caller to see from the product. */
  find(reference: ProductReference, billingType?: string): Promise<ProductLookup>;
}

export function createProductSystem(parts: IntegrationDeps): ProductSystem {
  const { productsUrl } = parts.settings;
  return productsUrl === undefined ? createEmbeddedProductSystem(parts) : createHttpProductSystem(productsUrl, parts);
}

/** Products of the store. A billing type is implemented where any of them is sold with it. */
function createEmbeddedProductSystem({ store }: Pick<IntegrationDeps, 'store'>): ProductSystem {
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
