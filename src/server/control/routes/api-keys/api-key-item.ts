/** An API key in responses of the control plane: with the name of its client and its rotation. */
import { ApiKeySchema } from '../../../../contract/schemas/api-key.ts';
import { optionalText } from '../../../../contract/schemas/primitives.ts';
import type { ApiKeyUses } from '../../../directory/api-key-uses.ts';
import { toApiKeyView } from '../../../directory/api-keys.ts';
import { isInOverlap } from '../../../directory/replaced-secrets.ts';
import type { ApiKey } from '../../../store/tables.ts';
import { nameFieldsOf } from '../../name-fields.ts';
import { previousEndsAt } from '../../secret-rotation.ts';

export const ApiKeyItem = ApiKeySchema.extend({
  ...nameFieldsOf('clientId'),
  rotatedAt: optionalText('2026-03-01T12:00:00.000Z', 'When the key was last rotated'),
  previousHint: optionalText('b1x9', 'The last four characters of the previous key, if it is still valid'),
  previousKeyEndsAt: previousEndsAt('key'),
}).meta({ id: 'ApiKeyItem', description: 'An API key without the key itself, with its rotation.' });

export function toApiKeyItem(row: ApiKey, uses: ApiKeyUses, now: Date) {
  const { previousKey, rotatedAt } = row;
  return {
    ...toApiKeyView(row, uses),
    ...(rotatedAt === undefined ? {} : { rotatedAt }),
    ...(isInOverlap(previousKey, now) ? { previousHint: previousKey.hint, previousKeyEndsAt: previousKey.endsAt } : {}),
  };
}
