/** Schemas of products of the product system. */

import * as z from 'zod';
import { singleLine } from './primitives.ts';

export const BillingType = z.enum(['EXPEND', 'PREPAID', 'SUBSCRIPTION']).describe('Billing type of the product');

export const ProductAlias = singleLine(200, 'Name of a product, unique together with its sku').meta({
  examples: ['reports'],
});

export const Sku = singleLine(200, 'Stock keeping unit of the product').meta({
  'x-label': 'Stock keeping unit',
  examples: ['reports-basic'],
});
