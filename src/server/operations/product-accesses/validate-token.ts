import * as z from 'zod';
import { BillingType, ProductAlias, Sku } from '../../../contract/schemas/product.ts';
import { issueOpaqueToken, requireProduct } from '../../legacy/opaque-tokens.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'product-accesses.validate-token',
  title: 'Validate product access',
  description:
    'Checks in the product system whether the product is sold with the billing type, and returns an opaque token that expires after 60 minutes in the header X-Opaque-Token. The product system decides which billing types are implemented; for products in the store, a billing type is implemented if any product is sold with it.',
  method: 'POST',
  path: '/product-accesses/validate-token',
  auth: 'caller',
  roles:
    'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (PERSON or BUSINESS and BUSINESSADMIN or BUSINESSADMIN)',
  audit: { kind: 'authentication', targets: {} },
  status: ['200e', 204, 400, 401, 403, 404, 500, 501, 503],
  request: {
    body: z
      .strictObject({ productAlias: ProductAlias, sku: Sku, billingType: BillingType })
      .meta({ id: 'ProductValidation' }),
  },
  response: {
    status: 204,
    header: {
      name: 'X-Opaque-Token',
      field: 'opaqueToken',
      description: 'Opaque token for the product',
      example: 'b3BhcXVlLXRva2Vu',
    },
  },
  errors: ['PRODUCT_NOT_FOUND', 'BILLING_TYPE_NOT_SOLD', 'BILLING_TYPE_UNSUPPORTED', 'PRODUCT_SYSTEM_UNAVAILABLE'],
  command: 'products validate',
  cliExamples: [
    { title: 'A subscription', command: '--product-alias reports --sku basic --billing-type SUBSCRIPTION' },
  ],

  async handle({ body: { billingType, ...reference } }, context) {
    const product = await requireProduct(context.productSystem, reference, billingType);
    const { opaqueToken } = await issueOpaqueToken({ product, billingType }, context);
    return { opaqueToken };
  },
});
