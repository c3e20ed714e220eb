/**
 * The signature of a SAML response, checked by node-saml. A module of its own, to be loaded when a response has come: it
 * brings an XML parser and more.
 */
import { setImmediate } from 'node:timers/promises';
import { SAML } from '@node-saml/node-saml';
import type { Provider } from '../../store/tables.ts';
import { decodeCertificate, isStrongKey } from './certificate-encoding.ts';

export interface SignatureExpectations {
  readonly recipient: string;
  readonly responseSigned: boolean;
  readonly assertionSigned: boolean;
}

type SamlProvider = Extract<Provider, { kind: 'saml' }>;

/**
 * The assertion as one of the provider's keys signed it, for the provider's audience; undefined where none did. Each
 * part that is signed is checked. What the assertion says is for others to look at, time included.
 */
export async function extractSignedAssertion(
  encoded: string,
  provider: SamlProvider,
  parts: SignatureExpectations,
): Promise<string | undefined> {
  for (const text of provider.certificates) {
    const certificate = decodeCertificate(text);
    if (!certificate || !isStrongKey(certificate)) continue;
    // The library works without a pause, and goes through the whole response again for each certificate.
    await setImmediate();
    const assertion = await verifyWithCertificate(certificate.toString(), encoded, provider, parts);
    if (assertion !== undefined) return assertion;
  }
  return undefined;
}

async function verifyWithCertificate(
  idpCert: string,
  encoded: string,
  { entityId, audience }: SamlProvider,
  { recipient, responseSigned, assertionSigned }: SignatureExpectations,
): Promise<string | undefined> {
  const saml = new SAML({
    callbackUrl: recipient,
    issuer: audience,
    audience,
    idpCert,
    idpIssuer: entityId,
    wantAuthnResponseSigned: responseSigned,
    wantAssertionsSigned: assertionSigned,
    // It would go by a clock of its own.
    acceptedClockSkewMs: -1,
  });
  try {
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: encoded });
    return profile?.getAssertionXml?.();
  } catch {
    return undefined;
  }
}
