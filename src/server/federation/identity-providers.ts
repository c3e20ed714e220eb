/** Identity providers in the store: certificate authorities, SAML and OpenID Connect. */

import type { Settings } from '../config/settings.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { OutgoingFetch } from '../lib/outgoing-fetch.ts';
import type { Store } from '../store/store.ts';
import type { CertificateAssertion, CertificateChain, VerifiedCertificate } from './certificate-login.ts';
import { verifyCertificate, verifyTlsCertificate } from './certificates.ts';
import type { FederatedAssertion } from './federated-login.ts';
import { createJwkSetCache } from './jwk-set-cache.ts';
import { type IdToken, type OpenIdProvider, verifyIdToken } from './openid.ts';
import { type CodeResponse, fetchIdToken, type RedirectProvider } from './provider-login.ts';
import { verifySamlResponse } from './saml.ts';

/** Each method returns the verified identity of an assertion. Undefined: it is invalid. */
export interface Providers {
  verifyCertificate(assertion: CertificateAssertion): Promise<VerifiedCertificate | undefined>;
  verifyTlsCertificate(sent: CertificateChain): Promise<VerifiedCertificate | undefined>;
  /** `recipient` is the URL that the response must name as its recipient. */
  verifySamlResponse(encoded: string, recipient: string): Promise<FederatedAssertion | undefined>;
  /** @throws IamError PROOF_INVALID; PROVIDER_UNAVAILABLE if the provider's keys cannot be fetched. */
  verifyIdToken(provider: OpenIdProvider, token: IdToken): Promise<FederatedAssertion>;
  /** Exchanges the code for an ID token, and verifies that. @throws IamError PROOF_INVALID, PROVIDER_UNAVAILABLE. */
  exchangeCode(provider: RedirectProvider, response: CodeResponse): Promise<FederatedAssertion>;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'portTimeout'>;
  readonly log: Log;
  /** Requests of the URLs of providers. */
  readonly outgoingFetch: OutgoingFetch;
}

export function createProviders({ store, clock, settings, log, outgoingFetch }: Deps): Providers {
  const requests = { log, timeout: settings.portTimeout, fetch: outgoingFetch };
  const deps = { keySets: createJwkSetCache({ ...requests, clock }), clock };
  const now = () => clock.now().getTime();
  return {
    verifyCertificate: (assertion) => verifyCertificate(store, assertion, now()),
    verifyTlsCertificate: (sent) => verifyTlsCertificate(store, sent, now()),
    verifySamlResponse: (encoded, recipient) => verifySamlResponse(encoded, { reader: store, recipient, now: now() }),
    verifyIdToken: (provider, token) => verifyIdToken(provider, token, deps),
    async exchangeCode(provider, response) {
      const idToken = await fetchIdToken(provider, response, requests);
      return verifyIdToken(provider, { ...response, idToken }, deps);
    },
  };
}
