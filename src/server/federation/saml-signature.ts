/**
 * Verifies the signature of a SAML response with node-saml. A separate module, loaded with the first response: it depends
 * on an XML parser and more.
 */
import { SAML } from '@node-saml/node-saml';
import { nextTurn } from '../../lib/host.ts';
import type { Provider } from '../store/tables.ts';
import { decodeCertificate, isStrongKey } from './certificate-encoding.ts';

export interface SignatureExpectations {
  readonly recipient: string;
  readonly responseSigned: boolean;
  readonly assertionSigned: boolean;
}

type SamlProvider = Extract<Provider, { kind: 'saml' }>;

/**
 * Returns the assertion as signed by one of the provider's keys, for the provider's audience; undefined if no key matches.
 * Verifies each signed part. The caller validates the content of the assertion, including its validity period.
 */
export async function extractSignedAssertion(
  encoded: string,
  provider: SamlProvider,
  expected: SignatureExpectations,
): Promise<string | undefined> {
  for (const text of provider.certificates) {
    const certificate = decodeCertificate(text);
    if (!certificate || !isStrongKey(certificate)) continue;
    // The library is synchronous and processes the whole response for each certificate.
    await nextTurn();
    const assertion = await verifyWithCertificate(certificate.toString(), encoded, provider, expected);
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
    // Disables the library's time checks, which use the machine's clock.
    acceptedClockSkewMs: -1,
  });
  try {
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: encoded });
    return profile?.getAssertionXml?.();
  } catch {
    return undefined;
  }
}
