/** A field of a stored object before and after, in responses of the control plane. See `FieldDifference` of the contract. */
import * as z from 'zod';
import { exampleText } from '../../contract/schemas/primitives.ts';

export const FieldDifferenceItem = z.strictObject({
  field: exampleText('roles'),
  before: z
    .unknown()
    .optional()
    .meta({ examples: [[]] }),
  after: z
    .unknown()
    .optional()
    .meta({ examples: [['DEPLOY']] }),
});
