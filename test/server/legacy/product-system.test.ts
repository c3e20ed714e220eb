/** The product system integration: the same behaviour in the store and over HTTP. */
import { describe, expect, test } from 'vitest';
import { createProductSystem } from '../../../src/server/integrations.ts';
import type { ProductSystem } from '../../../src/server/legacy/product-system.ts';
import { createHttpProductSystem } from '../../../src/server/legacy/product-system-http.ts';
import type { Log } from '../../../src/server/lib/log.ts';
import { startServer } from '../../harness.ts';
import { asUser } from '../operations/user-token.ts';
import { type FakeSystem, failingReplies, respond, startFakeSystem } from './fake-system.ts';

const product = { productId: 'p 1/ä', productAlias: 'reports & more', sku: 'a=b', billingTypes: ['PREPAID'] };
const other = { productId: 'p2', productAlias: 'reports & more', sku: 'c', billingTypes: ['EXPEND'] };

/** A product system with both products, which implements no subscriptions. */
function startProducts(): Promise<FakeSystem> {
  return startFakeSystem(({ path }, response) => {
    const url = new URL(path, 'http://outside.example');
    const { productAlias, sku, billingType } = Object.fromEntries(url.searchParams);
    const productId = decodeURIComponent(url.pathname.split('/')[2] ?? '');
    const found = [product, other].find(
      (one) => one.productId === productId || (one.productAlias === productAlias && one.sku === sku),
    );
    if (!found) return respond(response, 404);
    if (billingType === 'SUBSCRIPTION') return respond(response, 501);
    respond(response, 200, { ...found, price: 7 });
  });
}

const log = { warn: () => undefined } as unknown as Log;

function over({ url }: FakeSystem, portTimeout = 60_000): ProductSystem {
  return createHttpProductSystem(url, { settings: { portTimeout }, log });
}

describe.each<[string, () => Promise<{ products: ProductSystem } & AsyncDisposable>]>([
  [
    'in the store',
    async () => {
      const server = await startServer();
      await server.appContext.store.transaction(async (tx) => {
        for (const row of [product, other]) await tx.products.insert(row);
      });
      return Object.assign(server, { products: createProductSystem(server.appContext) });
    },
  ],
  ['over HTTP', async () => startProducts().then((outside) => Object.assign(outside, { products: over(outside) }))],
])('%s', (_, open) => {
  test('finds a product by its id, or by alias and stock keeping unit', async () => {
    await using opened = await open();
    const { productAlias, sku } = product;
    const found = { kind: 'found', product };
    await expect(opened.products.find({ productId: product.productId })).resolves.toEqual(found);
    await expect(opened.products.find({ productAlias, sku })).resolves.toEqual(found);
    await expect(opened.products.find({ productAlias, sku }, 'PREPAID')).resolves.toEqual(found);
    await expect(opened.products.find({ productAlias, sku }, 'EXPEND')).resolves.toEqual(found);
  });

  test('reports another product as unknown, for any billing type', async () => {
    await using opened = await open();
    for (const productId of ['none', '..', '.'])
      await expect(opened.products.find({ productId }, 'SUBSCRIPTION')).resolves.toEqual({ kind: 'unknown' });
    const named = { productAlias: product.productAlias, sku: 'none' };
    await expect(opened.products.find(named)).resolves.toEqual({ kind: 'unknown' });
  });

  test('reports a billing type of no product as unsupported', async () => {
    await using opened = await open();
    await expect(opened.products.find({ productId: 'p2' }, 'SUBSCRIPTION')).resolves.toEqual({ kind: 'unsupported' });
  });
});

describe('over HTTP', () => {
  test.each(Object.entries(failingReplies))('a product system that %s is unavailable', async (name, reply) => {
    await using outside = await startFakeSystem(reply);
    const products = over(outside, name.includes('never') || name.includes('end') ? 100 : undefined);
    await expect(products.find({ productId: 'p2' })).rejects.toMatchObject({ code: 'PRODUCT_SYSTEM_UNAVAILABLE' });
    expect(outside.requests.every(({ path }) => !path.startsWith('/elsewhere'))).toBe(true);
  });

  test('a server with a configured product system uses it in both operations', async () => {
    await using outside = await startProducts();
    await using server = await startServer({ flags: { 'products-url': outside.url } });
    const as = await asUser(server);
    await expect(as.productAccesses.authorize({ body: { productId: 'p2' } })).resolves.toMatchObject({
      expiresIn: '3600',
    });
    const { productAlias, sku } = product;
    const validate = (billingType: 'PREPAID' | 'EXPEND' | 'SUBSCRIPTION') =>
      as.productAccesses.validateToken({ body: { productAlias, sku, billingType } });
    await expect(validate('PREPAID')).resolves.toMatchObject({ opaqueToken: expect.any(String) });
    await expect(validate('EXPEND')).rejects.toMatchObject({ status: 403, code: 'BILLING_TYPE_NOT_SOLD' });
    await expect(validate('SUBSCRIPTION')).rejects.toMatchObject({ status: 501, code: 'BILLING_TYPE_UNSUPPORTED' });
  });
});
