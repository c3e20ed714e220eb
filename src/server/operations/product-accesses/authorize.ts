import * as z from 'zod';
import { apiError, fieldError } from '../../../contract/errors.ts';
import { BillingType, ProductAlias, Sku } from '../../../contract/legacy-schemas.ts';
import { Id } from '../../../contract/schemas.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { issueOpaqueToken, requireProduct } from '../../identity/opaque-tokens.ts';
import type { ProductReference } from '../../integrations/product-system.ts';
import type { Product } from '../../store/tables.ts';
import { defineOperation } from '../define.ts';

const text = z.string().max(200, 'must not be longer than 200 characters').optional();

const Body = z
  .strictObject({
    orderId: text.describe('Order that the token is for'),
    isExternalOrder: z.boolean().optional().describe('Whether the order is kept elsewhere'),
    productId: Id.optional(),
    productAlias: ProductAlias.optional(),
    sku: Sku.optional(),
    billingType: BillingType.optional(),
    showCaseId: text.describe('Where the product was offered'),
    skuPriceHashCode: sensitive(text, 'one-time').describe('Price that was shown'),
  })
  .meta({ id: 'ProductAuthorization' });

export default defineOperation({
  id: 'product-accesses.authorize',
  title: 'Generate Opaque Token',
  description:
    'Asks the product system for the product and answers with an opaque token: of 10 minutes with remember-me, else of 60. The product is named by productId, or by productAlias and sku; where all are given, they name the same one. What is said of order, show case and price is for the caller alone and not kept.',
  method: 'POST',
  path: '/product-accesses/authorize',
  auth: 'caller',
  roles:
    'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (PERSON or BUSINESS or BUSINESSOWNER or BUSINESSADMIN or ADMIN)',
  audit: { kind: 'administration', targets: { body: ['orderId', 'productId', 'showCaseId'] } },
  status: ['200e', 201, 400, 401, 403, 404, 500, 501, 503],
  request: {
    query: { 'remember-me': z.boolean().optional().describe('Gives a token of 10 minutes') },
    body: Body,
  },
  response: {
    status: 201,
    body: z
      .strictObject({
        opaqueToken: sensitive(z.string(), 'secret'),
        expiresIn: z.string().regex(/^\d+$/).describe('Seconds that the token is good for, as digits'),
      })
      .meta({ id: 'OpaqueToken', description: 'An opaque token for a product.' }),
    secret: true,
  },
  errors: ['PRODUCT_NOT_FOUND', 'BILLING_TYPE_NOT_SOLD', 'BILLING_TYPE_UNSUPPORTED', 'PRODUCT_SYSTEM_UNAVAILABLE'],
  command: 'products authorize',
  cliExamples: [{ title: 'By the id of the product', command: '--product-id reports-basic' }],

  async handle({ query, body }, context) {
    const product = await requireProduct(context.productSystem, readReference(body), body.billingType);
    if (!matchesProduct(product, body)) throw apiError('PRODUCT_NOT_FOUND');
    const remember = query['remember-me'] ?? false;
    return issueOpaqueToken({ product, billingType: body.billingType, remember }, context);
  },
});

function readReference({ productId, productAlias, sku }: z.output<typeof Body>): ProductReference {
  if (productId !== undefined) return { productId };
  if (productAlias !== undefined && sku !== undefined) return { productAlias, sku };
  throw fieldError(
    'FIELD_MISSING',
    ['productId', 'productAlias', 'sku'],
    'productId is required, or productAlias and sku.',
  );
}

function matchesProduct(product: Product, { productAlias, sku }: z.output<typeof Body>): boolean {
  return (productAlias ?? product.productAlias) === product.productAlias && (sku ?? product.sku) === product.sku;
}
