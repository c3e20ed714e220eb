import * as z from 'zod';
import { apiError, fieldError } from '../../../contract/errors.ts';
import { Id, lifetimeText, textUpTo } from '../../../contract/schemas/primitives.ts';
import { BillingType, ProductAlias, Sku } from '../../../contract/schemas/product.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { issueOpaqueToken, requireProduct } from '../../legacy/opaque-tokens.ts';
import type { ProductReference } from '../../legacy/product-system.ts';
import type { Product } from '../../store/tables.ts';
import { defineOperation } from '../define.ts';

const text = textUpTo(200).optional();

const Body = z
  .strictObject({
    orderId: text.meta({ description: 'Id of the order', examples: ['order-1001'] }),
    isExternalOrder: z.boolean().optional().describe('Whether another system manages the order'),
    productId: Id.optional().meta({ examples: ['reports-monthly'] }),
    productAlias: ProductAlias.optional(),
    sku: Sku.optional(),
    billingType: BillingType.optional(),
    showCaseId: text.meta({ description: 'Showcase in which the product was offered', examples: ['spring'] }),
    skuPriceHashCode: sensitive(text, 'one-time').meta({
      description: 'Hash of the displayed price',
      examples: ['9f86d081'],
    }),
  })
  .meta({ id: 'ProductAuthorization' });

export default defineOperation({
  id: 'product-accesses.authorize',
  title: 'Generate an opaque token for a product',
  description:
    'Looks up the product in the product system and issues an opaque token. The token expires after 10 minutes with remember-me, otherwise after 60 minutes. The product is identified by productId, or by productAlias and sku; if all are sent, they must match the same product. Order, showcase and price are not stored.',
  method: 'POST',
  path: '/product-accesses/authorize',
  auth: 'caller',
  roles:
    'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (PERSON or BUSINESS or BUSINESSOWNER or BUSINESSADMIN or ADMIN)',
  audit: { kind: 'administration', targets: { body: ['orderId', 'productId', 'showCaseId'] } },
  status: ['200e', 201, 400, 401, 403, 404, 500, 501, 503],
  request: {
    query: { 'remember-me': z.boolean().optional().describe('Issue a token that expires after 10 minutes') },
    body: Body,
  },
  response: {
    status: 201,
    body: z
      .strictObject({
        opaqueToken: sensitive(z.string(), 'secret').meta({ examples: ['b3BhcXVlLXRva2Vu'] }),
        expiresIn: lifetimeText('Lifetime in seconds, as a string of digits', 3600),
      })
      .meta({ id: 'OpaqueToken', description: 'An opaque token for a product.' }),
    secret: true,
  },
  errors: ['PRODUCT_NOT_FOUND', 'BILLING_TYPE_NOT_SOLD', 'BILLING_TYPE_UNSUPPORTED', 'PRODUCT_SYSTEM_UNAVAILABLE'],
  command: 'products authorize',
  cliExamples: [{ title: 'By product id', command: '--product-id reports-basic' }],

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
    'Either productId, or productAlias and sku are required.',
  );
}

function matchesProduct(product: Product, { productAlias, sku }: z.output<typeof Body>): boolean {
  return (productAlias ?? product.productAlias) === product.productAlias && (sku ?? product.sku) === product.sku;
}
