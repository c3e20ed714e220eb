/** OAuth clients. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { instant, names, secret, text } from './fields.ts';

export const ClientRow = z
  .strictObject({
    clientId: text,
    secretHash: secret.optional(),
    appId: text,
    party: z.enum(['1STPARTY', '3RDPARTY']),
    authorities: names,
    scope: names,
    grantTypes: names,
    redirectURI: text.optional(),
    serviceAccountId: text.optional(),
    userId: text.optional(),
    businessId: text.optional(),
    /** The client that created this one, if neither a user nor a business owns it. */
    ownerClientId: text.optional(),
    organizationId: text.optional(),
    businessUnitId: text.optional(),
    factorVisibility: z.enum(['CREDENTIALS_ONLY', 'MARKED_RESOURCES', 'UNRESTRICTED']),
    /** Set for a client created at the first start, which can't be removed. */
    bootstrap: z.enum(['admin', 'app']).optional(),
    createdAt: instant,
    /** Raised when the secret changes: tokens of an earlier generation are rejected, whatever the clocks say. */
    tokenGeneration: z.int().optional(),
  })
  .readonly();

export type Client = z.infer<typeof ClientRow>;

export const clientTable = defineTable(ClientRow, (row) => row.clientId, {
  unique: { serviceAccountId: (row) => row.serviceAccountId, bootstrap: (row) => row.bootstrap },
  index: {
    userId: (row) => row.userId,
    businessId: (row) => row.businessId,
    ownerClientId: (row) => row.ownerClientId,
    organizationId: (row) => row.organizationId,
  },
});
