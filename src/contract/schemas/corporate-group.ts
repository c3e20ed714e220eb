/** Schemas of corporate groups. */
import * as z from 'zod';
import { definition, reference } from '../entities.ts';
import { BusinessReference, BusinessReferences } from './business.ts';
import { Id, isReservedName, singleLine } from './primitives.ts';

export const CorporateGroupId = Id.meta({ description: 'Corporate group id', ...reference('corporateGroup', ['id']) });

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
