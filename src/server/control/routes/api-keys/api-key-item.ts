/** An API key in responses of the control plane: with the name of its client. */
import { ApiKeySchema } from '../../../../contract/schemas/api-key.ts';
import { nameFieldsOf } from '../../name-fields.ts';

export const ApiKeyItem = ApiKeySchema.extend(nameFieldsOf('clientId')).meta({ id: 'ApiKeyItem' });
