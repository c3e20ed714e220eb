/** Identity providers: certificate authorities, SAML and OpenID Connect, as the store has them. */
import type { CertificateProof, ProvenCertificate } from '../identity/certificate-login.ts';
import type { OutsideProof } from '../identity/outside-proofs.ts';
import type { PortParts } from './ports.ts';
import { verifyCertificate } from './providers/certificates.ts';
import { createKeySets } from './providers/key-sets.ts';
import { type IdToken, type OpenIdProvider, verifyIdToken } from './providers/openid.ts';
import { verifySamlResponse } from './providers/saml.ts';

/** Each says whom a proof proves; undefined where anything is wrong with it. */
export interface Providers {
  certificate(proof: CertificateProof): Promise<ProvenCertificate | undefined>;
  /** `recipient` is the URL that the response must be meant for. */
  samlResponse(encoded: string, recipient: string): Promise<OutsideProof | undefined>;
  /** @throws IamError PROVIDER_UNAVAILABLE where the provider's keys are needed and out of reach. */
  idToken(provider: OpenIdProvider, token: IdToken): Promise<OutsideProof | undefined>;
}

export function createProviders({ store, clock, settings, log }: PortParts): Providers {
  const keySets = createKeySets({ clock, log, timeout: settings.portTimeout });
  const now = () => clock.now().getTime();
  return {
    certificate: (proof) => verifyCertificate(store, proof, now()),
    samlResponse: (encoded, recipient) => verifySamlResponse(encoded, { reader: store, recipient, now: now() }),
    idToken: (provider, token) => verifyIdToken(provider, token, { keySets, clock }),
  };
}
