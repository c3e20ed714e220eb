/** Identity providers: certificate authorities, SAML and OpenID Connect, as the store has them. */
import type { CertificateAssertion, VerifiedCertificate } from '../identity/certificate-login.ts';
import type { FederatedAssertion } from '../identity/federated-login.ts';
import type { IntegrationDeps } from './integrations.ts';
import { verifyCertificate } from './providers/certificates.ts';
import { createJwkSetCache } from './providers/jwk-set-cache.ts';
import { type IdToken, type OpenIdProvider, verifyIdToken } from './providers/openid.ts';
import { verifySamlResponse } from './providers/saml.ts';

/** Each says whom a proof proves; undefined where anything is wrong with it. */
export interface Providers {
  verifyCertificate(assertion: CertificateAssertion): Promise<VerifiedCertificate | undefined>;
  /** `recipient` is the URL that the response must be meant for. */
  verifySamlResponse(encoded: string, recipient: string): Promise<FederatedAssertion | undefined>;
  /** @throws IamError PROVIDER_UNAVAILABLE where the provider's keys are needed and out of reach. */
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
