/** Schemas of products of the product system. */

import * as z from 'zod';
import { nonEmptyText } from './primitives.ts';

export const BillingType = z.enum(['EXPEND', 'PREPAID', 'SUBSCRIPTION']).describe('Billing type of the product');

export const ProductAlias = nonEmptyText(200).meta({
  description: 'Name of a product, unique together with its sku',
  examples: ['reports'],
});

export const Sku = nonEmptyText(200).meta({
  description: 'Stock keeping unit of the product',
  'x-label': 'Stock keeping unit',
  examples: ['reports-basic'],
});
