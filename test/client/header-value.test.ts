import { expect, expectTypeOf, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { errorResponse, startFakeServer } from './fake-server.ts';

const body = { productAlias: 'reports', sku: 'basic', billingType: 'PREPAID' } as const;

test('a response header is returned as a field', async () => {
  await using server = await startFakeServer(() => ({ status: 204, headers: { 'X-Opaque-Token': 'opaque' } }));
  const client = createClient({ baseUrl: server.url });
  const result = await client.productAccesses.validateToken({ body });
  expectTypeOf(result).toEqualTypeOf<{ readonly opaqueToken: string }>();
  expect(result).toEqual({ opaqueToken: 'opaque' });
  await expect(client.call('product-accesses.validate-token', { body })).resolves.toMatchObject({
    status: 204,
    body: { opaqueToken: 'opaque' },
  });
  await client.close();
});

test('an error response is a failure, also with status 200', async () => {
  for (const status of [200, 404]) {
    await using server = await startFakeServer(() => ({ ...errorResponse(status, 'PRODUCT_NOT_FOUND'), status }));
    const client = createClient({ baseUrl: server.url });
    await expect(client.productAccesses.validateToken({ body })).rejects.toMatchObject({ code: 'PRODUCT_NOT_FOUND' });
    await client.close();
  }
});
