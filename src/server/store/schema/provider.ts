/** Trusted identity providers and certificate authorities, and their used assertions. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { epoch, names, secret, text } from './fields.ts';

/** A trusted identity provider or certificate authority. Certificates are PEM or base64 DER. */
export const ProviderRow = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('oidc'),
      name: text,
      issuer: text,
      clientId: text,
      jwksUri: text,
      emailDomains: names,
    })
    .readonly(),
  z
    .strictObject({
      kind: z.literal('saml'),
      name: text,
      entityId: text,
      certificates: names,
      audience: text,
      emailDomains: names,
    })
    .readonly(),
  z.strictObject({ kind: z.literal('certificateAuthority'), name: text, certificate: text }).readonly(),
]);

export type Provider = z.infer<typeof ProviderRow>;

/** The hash of an accepted SAML assertion or ID token, to reject a replay. */
export const UsedAssertionRow = z.strictObject({ proofHash: secret, expiresAt: epoch }).readonly();

export const providerTable = defineTable(ProviderRow, (row) => row.name, {
  unique: {},
  index: { kind: (row) => row.kind },
});

export const usedAssertionTable = defineTable(UsedAssertionRow, (row) => row.proofHash, { unique: {}, index: {} });
