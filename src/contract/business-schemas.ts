/** Schemas of corporate groups and customers. */
import * as z from 'zod';
import { definition } from './entities.ts';
import { BusinessReference, BusinessReferences } from './member-schemas.ts';
import { CorporateGroupId, UserId } from './reference-schemas.ts';
import { isReservedName, NewId, singleLine } from './schemas.ts';

export const CorporateGroupName = singleLine(100, 'Unique name of a corporate group')
  .refine((value) => !isReservedName(value), 'is a reserved word')
  .meta(definition('corporateGroup', 'name'));

export const CorporateGroupSchema = z
  .strictObject({
    corporateGroupId: z.string(),
    corporateGroupName: z.string(),
    organizationId: z.string().optional(),
    businesses: z.array(BusinessReference),
  })
  .meta({ id: 'CorporateGroup', description: 'Businesses that belong together. A corporate group grants no roles.' });

/** The body of create and update of a corporate group. */
export const CorporateGroupInput = z
  .strictObject({
    corporateGroupName: CorporateGroupName,
    organizationId: singleLine(64, 'Organization the corporate group belongs to').optional(),
    businesses: BusinessReferences.optional().describe(
      'Businesses of the group; a business is in at most one corporate group',
    ),
  })
  .meta({ id: 'CorporateGroupInput' });

const Document = singleLine(
  64,
  'Official identification number of the customer; unique among users and among businesses',
).meta({ 'x-label': 'Official identification number of the customer' });

export const BusinessCustomerInput = z
  .strictObject({
    businessId: NewId.optional().meta({
      description: 'Id of the business (default: generated)',
      ...definition('business', 'id'),
    }),
    businessName: singleLine(200, 'Name of the business').meta(definition('business', 'name')),
    document: Document,
    corporateGroupId: CorporateGroupId.optional().describe('Corporate group that the business joins'),
    organizationId: singleLine(64, 'Organization the business belongs to').optional(),
    businessUnitId: singleLine(64, 'Business unit the business belongs to').optional(),
  })
  .meta({ id: 'BusinessCustomerInput' });

export const UserCustomerInput = z
  .strictObject({
    userId: UserId.describe('User that becomes a customer'),
    document: Document,
    name: singleLine(200, 'Name of the customer').optional(),
  })
  .meta({ id: 'UserCustomerInput' });

/** Part of the responses of both operations that create customers. */
export const CustomerId = z.int().describe('Number of the customer; never reused');
