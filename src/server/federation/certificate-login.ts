/** Logs a user in with a certificate whose key signed a nonce. */
import { apiError } from '../../contract/errors.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { Client, Provider, User } from '../store/tables.ts';
import type { UserContent } from '../tokens/content.ts';
import { consumeOneTimeToken } from '../tokens/one-time-tokens.ts';
import { findUserByLogin } from '../users/users.ts';
import {
  type ExternalSessionOptions,
  type FederatedLoginDeps,
  findUserByVerifiedEmail,
  isProviderUnchanged,
  startExternalSession,
} from './federated-login.ts';

export interface CertificateChain {
  /** PEM, or base64 of DER. */
  readonly certificate: string;
  /** Intermediate certificates between the certificate and a trusted authority, in any order. */
  readonly chain: readonly string[];
}

export interface CertificateAssertion extends CertificateChain {
  /** The signed text. */
  readonly text: string;
  /** Base64. */
  readonly signature: string;
  /** Default: the algorithm of the key. */
  readonly algorithm?: 'RS256' | 'PS256' | 'ES256' | undefined;
}

export interface VerifiedCertificate {
  /** SHA-256, lower-case hexadecimal. */
  readonly fingerprint: string;
  readonly emails: readonly string[];
  /** The trusted authority that issued the certificate, directly or through the chain. */
  readonly authority: Provider;
}

interface Deps extends FederatedLoginDeps {
  readonly providers: {
    verifyCertificate(assertion: CertificateAssertion): Promise<VerifiedCertificate | undefined>;
    verifyTlsCertificate(sent: CertificateChain): Promise<VerifiedCertificate | undefined>;
  };
}

export function formatCertificateIdentity(fingerprint: string): string {
  return `${certificatePrefix}${fingerprint.toLowerCase()}`;
}

export const certificatePrefix = 'x5t#S256:';

/**
 * Starts a session with AUTH-MFA for the user of the certificate. The first attempt consumes the nonce.
 * @returns what its token says
 * @throws IamError PROOF_INVALID, for every failure.
 */
export async function startCertificateSession(
  deps: Deps,
  assertion: CertificateAssertion,
  client: Client,
  options: ExternalSessionOptions,
): Promise<UserContent> {
  await consumeNonce(deps, assertion.text, client);
  return startVerifiedSession(deps, await deps.providers.verifyCertificate(assertion), client, options);
}

/** The same with the certificate of a TLS handshake. @throws IamError PROOF_INVALID, for every failure. */
export async function startTlsCertificateSession(
  deps: Deps,
  sent: CertificateChain,
  client: Client,
  options: ExternalSessionOptions,
): Promise<UserContent> {
  return startVerifiedSession(deps, await deps.providers.verifyTlsCertificate(sent), client, options);
}

function startVerifiedSession(
  deps: Deps,
  verified: VerifiedCertificate | undefined,
  client: Client,
  options: ExternalSessionOptions,
): Promise<UserContent> {
  return startExternalSession(deps, client, { ...options, level: 'AUTH-MFA' }, async (tx) => {
    const isTrusted = verified !== undefined && (await isProviderUnchanged(tx, verified.authority));
    const user = isTrusted ? await findCertificateUser(tx, verified) : undefined;
    if (!user) throw apiError('PROOF_INVALID');
    return user;
  });
}

/** Runs in a separate transaction, so that a failed attempt consumes the nonce too. */
async function consumeNonce({ store, clock }: { store: Store } & Deps, nonce: string, client: Client): Promise<void> {
  const token = await store.transaction((tx) => consumeOneTimeToken(tx, 'certificate-nonce', nonce, clock));
  if (!token || token.clientId !== client.clientId) throw apiError('PROOF_INVALID');
}

/** The user with whom the certificate is registered; else the only user with a verified e-mail that it contains. */
async function findCertificateUser(
  tx: Transaction,
  { fingerprint, emails }: VerifiedCertificate,
): Promise<User | undefined> {
  const identity = formatCertificateIdentity(fingerprint);
  const holder = await findUserByLogin(tx, identity);
  if (holder?.identities.some((name) => isSameIdentity(name, identity))) return holder;
  const users = new Map<string, User>();
  for (const email of emails) {
    const user = await findUserByVerifiedEmail(tx, email);
    if (user) users.set(user.userId, user);
  }
  const [user] = users.values();
  return users.size === 1 ? user : undefined;
}

/** Hexadecimal digits are compared case-insensitively. */
function isSameIdentity(name: string, identity: string): boolean {
  return name.startsWith(certificatePrefix) && name.toLowerCase() === identity.toLowerCase();
}
