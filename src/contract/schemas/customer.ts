/** Schemas of customers: users and businesses with an official document. */
import * as z from 'zod';
import { definition } from '../entities.ts';
import { CorporateGroupId } from './corporate-group.ts';
import { exampleInt, NewId, singleLine } from './primitives.ts';
import { UserId } from './user.ts';

const Document = singleLine(
  64,
  'Official identification number of the customer; unique among users and among businesses',
).meta({ 'x-label': 'Official identification number of the customer', examples: ['12345678900'] });

export const BusinessCustomerInput = z
  .strictObject({
    businessId: NewId.optional().meta({
      description: 'Id of the business (default: generated)',
      ...definition('business', 'id'),
      examples: ['example-shop'],
    }),
    businessName: singleLine(200, 'Name of the business').meta({
      ...definition('business', 'name'),
      examples: ['Example Shop'],
    }),
    document: Document,
    corporateGroupId: CorporateGroupId.optional().describe('Corporate group that the business joins'),
    organizationId: singleLine(64, 'Organization the business belongs to')
      .optional()
      .meta({ examples: ['example-org'] }),
    businessUnitId: singleLine(64, 'Business unit the business belongs to')
      .optional()
      .meta({ examples: ['retail'] }),
  })
  .meta({ id: 'BusinessCustomerInput' });

export const UserCustomerInput = z
  .strictObject({
    userId: UserId.describe('User that becomes a customer'),
    document: Document,
    name: singleLine(200, 'Name of the customer')
      .optional()
      .meta({ examples: ['Alice Example'] }),
  })
  .meta({ id: 'UserCustomerInput' });

/** Part of the responses of both operations that create customers. */
export const CustomerId = exampleInt(1001, 'Number of the customer; never reused');
