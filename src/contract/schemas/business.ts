/** Schemas of businesses. */
import * as z from 'zod';
import { reference } from '../entities.ts';
import { Id, memberList } from './primitives.ts';

export const BusinessId = Id.meta({
  description: 'Business id',
  ...reference('business', ['id']),
  examples: ['example-shop'],
});

export const BusinessReference = z
  .strictObject({ businessId: BusinessId })
  .meta({ id: 'BusinessReference', description: 'A business.' });

export const BusinessReferences = memberList(BusinessReference);
