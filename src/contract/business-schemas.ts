/** Schemas of corporate groups and customers. */
import * as z from 'zod';
import { defines } from './entities.ts';
import { BusinessReference, BusinessReferences } from './member-schemas.ts';
import { CorporateGroupId, UserId } from './reference-schemas.ts';
import { isReservedName, NewId, singleLine } from './schemas.ts';

export const CorporateGroupName = singleLine(100, 'Unique name of a corporate group')
  .refine((value) => !isReservedName(value), 'is a reserved word')
  .meta(defines('corporateGroup', 'name'));

export const CorporateGroupSchema = z
  .strictObject({
    corporateGroupId: z.string(),
    corporateGroupName: z.string(),
    organizationId: z.string().optional(),
    businesses: z.array(BusinessReference),
  })
  .meta({ id: 'CorporateGroup', description: 'Businesses that belong together. It gives no roles.' });

/** What create and update of a corporate group take. */
export const CorporateGroupInput = z
  .strictObject({
    corporateGroupName: CorporateGroupName,
    organizationId: singleLine(64, 'Organization the corporate group belongs to').optional(),
    businesses: BusinessReferences.optional().describe('Its businesses; each is in one corporate group at most'),
  })
  .meta({ id: 'CorporateGroupInput' });

const Document = singleLine(
  64,
  'Number under which authorities know the customer; each once among users, and among businesses',
).meta({ 'x-label': 'Number under which authorities know the customer' });

export const BusinessCustomerInput = z
  .strictObject({
    businessId: NewId.optional().meta({
      description: 'Id of the business; made where missing',
      ...defines('business', 'id'),
    }),
    businessName: singleLine(200, 'Name of the business').meta(defines('business', 'name')),
    document: Document,
    corporateGroupId: CorporateGroupId.optional().describe('Corporate group that the business joins'),
    organizationId: singleLine(64, 'Organization the business belongs to').optional(),
    businessUnitId: singleLine(64, 'Business unit the business belongs to').optional(),
  })
  .meta({ id: 'BusinessCustomerInput' });

export const UserCustomerInput = z
  .strictObject({
    userId: UserId.describe('The user who is a customer from now on'),
    document: Document,
    name: singleLine(200, 'Name of the customer').optional(),
  })
  .meta({ id: 'UserCustomerInput' });

/** Part of what both creations of customers answer. */
export const CustomerId = z.int().describe('Number of the customer; given out once');
