/** Identity providers in the store: certificate authorities, SAML and OpenID Connect. */
import type { CertificateAssertion, VerifiedCertificate } from '../identity/certificate-login.ts';
import type { FederatedAssertion } from '../identity/federated-login.ts';
import type { IntegrationDeps } from './integrations.ts';
import { verifyCertificate } from './providers/certificates.ts';
import { createJwkSetCache } from './providers/jwk-set-cache.ts';
import { type IdToken, type OpenIdProvider, verifyIdToken } from './providers/openid.ts';
import { verifySamlResponse } from './providers/saml.ts';

/** Each method returns the verified identity of an assertion; undefined if the assertion is invalid. */
export interface Providers {
  verifyCertificate(assertion: CertificateAssertion): Promise<VerifiedCertificate | undefined>;
  /** `recipient` is the URL that the response must name as its recipient. */
  verifySamlResponse(encoded: string, recipient: string): Promise<FederatedAssertion | undefined>;
  /** @throws IamError PROVIDER_UNAVAILABLE if the provider's keys cannot be fetched. */
  verifyIdToken(provider: OpenIdProvider, token: IdToken): Promise<FederatedAssertion | undefined>;
}

export function createProviders({ store, clock, settings, log }: IntegrationDeps): Providers {
  const jwkSets = createJwkSetCache({ clock, log, timeout: settings.portTimeout });
  const now = () => clock.now().getTime();
  return {
    verifyCertificate: (assertion) => verifyCertificate(store, assertion, now()),
    verifySamlResponse: (encoded, recipient) => verifySamlResponse(encoded, { reader: store, recipient, now: now() }),
    verifyIdToken: (provider, token) => verifyIdToken(provider, token, { keySets: jwkSets, clock }),
  };
}
