/** Schemas of the identity providers of a seed. */
import * as z from 'zod';
import { singleLine } from '../../contract/schemas/primitives.ts';
import { decodeCertificate } from '../federation/certificate-encoding.ts';
import { MAX_PROVIDER_NAME_LENGTH } from '../federation/subjects.ts';

const nameForm = new RegExp(`^[A-Za-z0-9._-]{1,${MAX_PROVIDER_NAME_LENGTH}}$`);

/** Must not contain a colon, which ends the name in links to a provider. */
const name = z
  .string()
  .regex(nameForm, `must be 1 to ${MAX_PROVIDER_NAME_LENGTH} letters, digits or . _ -`)
  .describe('Name of a provider');

const Certificate = z
  .string()
  .refine((text) => decodeCertificate(text) !== undefined, 'must be one certificate, in PEM or base64 of DER');

const emailDomains = z.array(singleLine(253, 'Domain')).optional();

export const SeedProvider = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('oidc'),
    name,
    issuer: singleLine(2000, 'Issuer'),
    clientId: singleLine(500, 'Client'),
    jwksUri: z.url({ protocol: /^https?$/, message: 'must be an http or https URL' }),
    emailDomains,
  }),
  z.strictObject({
    kind: z.literal('saml'),
    name,
    entityId: singleLine(2000, 'Entity'),
    certificates: z.array(Certificate).min(1, 'must have an entry'),
    audience: singleLine(2000, 'Audience'),
    emailDomains,
  }),
  z.strictObject({ kind: z.literal('certificateAuthority'), name, certificate: Certificate }),
]);

export type SeedProvider = z.output<typeof SeedProvider>;
