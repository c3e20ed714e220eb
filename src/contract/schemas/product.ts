/** Schemas of products of the product system. */
import * as z from 'zod';

export const BillingType = z.enum(['EXPEND', 'PREPAID', 'SUBSCRIPTION']).describe('Billing type of the product');

export const ProductAlias = z
  .string()
  .min(1, 'must not be empty')
  .max(200, 'must not be longer than 200 characters')
  .meta({ description: 'Name of a product, unique together with its sku', examples: ['reports'] });

export const Sku = z
  .string()
  .min(1, 'must not be empty')
  .max(200, 'must not be longer than 200 characters')
  .meta({
    description: 'Stock keeping unit of the product',
    'x-label': 'Stock keeping unit',
    examples: ['reports-basic'],
  });
