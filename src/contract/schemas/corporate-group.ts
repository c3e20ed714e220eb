/** Schemas of corporate groups. */
import * as z from 'zod';
import { definition, reference } from '../entities.ts';
import { BusinessReference, BusinessReferences } from './business.ts';
import { exampleText, Id, isReservedName, optionalText, singleLine } from './primitives.ts';

export const CorporateGroupId = Id.meta({
  description: 'Corporate group id',
  ...reference('corporateGroup', ['id']),
  examples: ['64b0c0ffee00000000000005'],
});

export const CorporateGroupName = singleLine(100, 'Unique name of a corporate group')
  .refine((value) => !isReservedName(value), 'is a reserved word')
  .meta({ ...definition('corporateGroup', 'name'), examples: ['Example Holding'] });

export const CorporateGroupSchema = z
  .strictObject({
    corporateGroupId: exampleText('64b0c0ffee00000000000005'),
    corporateGroupName: exampleText('Example Holding'),
    organizationId: optionalText('example-org'),
    businesses: z.array(BusinessReference),
  })
  .meta({ id: 'CorporateGroup', description: 'Businesses that belong together. A corporate group grants no roles.' });

/** The body of create and update of a corporate group. */
export const CorporateGroupInput = z
  .strictObject({
    corporateGroupName: CorporateGroupName,
    organizationId: singleLine(64, 'Organization the corporate group belongs to')
      .optional()
      .meta({ examples: ['example-org'] }),
    businesses: BusinessReferences.optional().describe(
      'Businesses of the group; a business is in at most one corporate group',
    ),
  })
  .meta({ id: 'CorporateGroupInput' });
