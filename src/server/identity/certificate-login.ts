/** Logging a user in by a certificate that it signed a nonce with. */
import { apiError } from '../../contract/errors.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { Client, Provider, User } from '../store/tables.ts';
import type { TokenResponse } from '../tokens/issue.ts';
import { type FederatedLoginDeps, findUserByVerifiedEmail, isProviderUnchanged } from './federated-login.ts';
import { startLoginSession } from './login-session.ts';
import { consumeOneTimeToken } from './one-time-tokens.ts';
import type { SessionOptions } from './sessions.ts';
import { findUserByLogin } from './user-roles.ts';

export interface CertificateAssertion {
  /** What was signed. */
  readonly text: string;
  /** PEM, or base64 of DER. */
  readonly certificate: string;
  /** Certificates that may stand between it and a trusted authority, in any order. */
  readonly chain: readonly string[];
  /** Base64. */
  readonly signature: string;
  /** That of the key where missing. */
  readonly algorithm?: 'RS256' | 'PS256' | 'ES256' | undefined;
}

/** What a right proof says. */
export interface VerifiedCertificate {
  /** SHA-256, lower-case hexadecimal. */
  readonly fingerprint: string;
  readonly emails: readonly string[];
  /** The trusted authority that the certificate leads to. */
  readonly authority: Provider;
}

interface Deps extends FederatedLoginDeps {
  readonly providers: { verifyCertificate(assertion: CertificateAssertion): Promise<VerifiedCertificate | undefined> };
}

/** The login identifier that stands for a certificate. */
export function formatCertificateIdentity(fingerprint: string): string {
  return `${certificatePrefix}${fingerprint.toLowerCase()}`;
}

export const certificatePrefix = 'x5t#S256:';

/**
 * A session of the user whom the certificate is of, with a second proof. The nonce is used up with the first try.
 * @throws IamError PROOF_INVALID, whatever is wrong.
 */
export async function loginWithCertificate(
  deps: Deps,
  assertion: CertificateAssertion,
  client: Client,
  options: Pick<SessionOptions, 'remember' | 'renewable'>,
): Promise<TokenResponse> {
  await consumeNonce(deps, assertion.text, client);
  const verified = await deps.providers.verifyCertificate(assertion);
  if (!verified) throw apiError('PROOF_INVALID');
  const { user, session, refreshToken } = await deps.store.transaction(async (tx) => {
    const user = (await isProviderUnchanged(tx, verified.authority))
      ? await findCertificateUser(tx, verified)
      : undefined;
    if (!user || user.locked) throw apiError('PROOF_INVALID');
    const start = { ...options, clientId: client.clientId, user, level: 'AUTH-MFA' } as const;
    return startLoginSession(tx, { ...start, callerKey: deps.source.key }, deps);
  });
  deps.authentication.throttles.recordLogin(user, deps.source.key);
  return deps.issuer.issueForUser(user, session, client, { refreshToken });
}

/** In a transaction of its own, so that it is gone also where nothing comes of the try. */
async function consumeNonce({ store, clock }: { store: Store } & Deps, nonce: string, client: Client): Promise<void> {
  const token = await store.transaction((tx) => consumeOneTimeToken(tx, 'certificate-nonce', nonce, clock));
  if (!token || token.clientId !== client.clientId) throw apiError('PROOF_INVALID');
}

/** Whoever the certificate is registered with; else the one user who verified an address that it names. */
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

/** Hexadecimal digits count in either case. */
function isSameIdentity(name: string, identity: string): boolean {
  return name.startsWith(certificatePrefix) && name.toLowerCase() === identity.toLowerCase();
}
