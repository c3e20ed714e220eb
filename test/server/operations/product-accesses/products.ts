/** Products for tests, and a server that has them. */
import type { SeedProduct } from '../../../../src/server/seed/schema.ts';
import { startServer, type TestServer, type TestServerOptions } from '../../../harness.ts';

/** No product has the billing type EXPEND. */
export const reports = { productAlias: 'reports', sku: 'basic' };
export const products: SeedProduct[] = [
  { productId: 'reports-basic', ...reports, billingTypes: ['SUBSCRIPTION'] },
  { productId: 'reports-plus', productAlias: 'reports', sku: 'plus', billingTypes: ['PREPAID'] },
  { productId: 'gift', productAlias: 'gift', sku: 'one' },
];

export function startWithProducts(options: TestServerOptions = {}): Promise<TestServer> {
  return startServer({ ...options, seed: { products, ...options.seed } });
}

export function opaqueTokens({ appContext }: TestServer) {
  return appContext.store.opaqueTokens.list();
}
