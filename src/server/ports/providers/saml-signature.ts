/**
 * The signature of a SAML response, checked by node-saml. A module of its own, to be loaded when a response has come: it
 * brings an XML parser and more.
 */
import { SAML } from '@node-saml/node-saml';
import type { Provider } from '../../store/tables.ts';
import { certificateFrom, isSoundKey } from './certificate-text.ts';

export interface SignedParts {
  readonly recipient: string;
  readonly responseSigned: boolean;
  readonly assertionSigned: boolean;
}

/**
 * The assertion as one of the provider's keys signed it, for the provider's audience; undefined where none did. Each
 * part that is signed is checked. What the assertion says is for others to look at, time included.
 */
export async function signedAssertion(
  encoded: string,
  { certificates, entityId, audience }: Extract<Provider, { kind: 'saml' }>,
  { recipient, responseSigned, assertionSigned }: SignedParts,
): Promise<string | undefined> {
  const idpCert = certificates.flatMap((text) => {
    const certificate = certificateFrom(text);
    return certificate && isSoundKey(certificate) ? [certificate.toString()] : [];
  });
  if (idpCert.length === 0) return undefined;
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
