/** Schemas of clients. */
import * as z from 'zod';
import { definition } from './entities.ts';
import { applicationId } from './reference-schemas.ts';
import { NewId, ScopeName, singleLine } from './schemas.ts';

/** Fields of the body of both operations that create clients. */
export const clientFields = {
  appId: applicationId('Application that the client belongs to'),
  serviceAccountId: NewId.optional()
    .describe('Service account of the client, to which groups grant roles')
    .meta(definition('client', 'serviceAccount')),
  scope: z.array(ScopeName).max(100, 'must not have more than 100 entries').optional().describe('Scopes of its tokens'),
  redirectURI: z
    .url('must be a URI')
    .max(2000, 'must not be longer than 2000 characters')
    .optional()
    .describe('Redirect URI for logins'),
  grantTypes: z
    .array(singleLine(100, 'A grant type'))
    .max(20, 'must not have more than 20 entries')
    .optional()
    .describe('OAuth grant types that the client may use (default: client_credentials)'),
  businessUnitId: singleLine(64, 'Business unit the client belongs to').optional(),
  organizationId: singleLine(64, 'Organization the client belongs to').optional(),
};
