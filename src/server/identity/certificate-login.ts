/** Logging a user in by a certificate that it signed a nonce with. */
import { fault } from '../../contract/errors.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { Client, Provider, User } from '../store/tables.ts';
import type { TokenResponse } from '../tokens/issue.ts';
import { startLoginSession } from './login-session.ts';
import { findByOutsideEmail, isStillThere, type ProofTools } from './outside-proofs.ts';
import type { SessionStart } from './sessions.ts';
import { takeTicket } from './tickets.ts';
import { findByLogin } from './users.ts';

export interface CertificateProof {
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
export interface ProvenCertificate {
  /** SHA-256, lower-case hexadecimal. */
  readonly fingerprint: string;
  readonly emails: readonly string[];
  /** The trusted authority that the certificate leads to. */
  readonly authority: Provider;
}

interface Tools extends ProofTools {
  readonly providers: { certificate(proof: CertificateProof): Promise<ProvenCertificate | undefined> };
}

/** The login identifier that stands for a certificate. */
export function certificateIdentity(fingerprint: string): string {
  return `${certificatePrefix}${fingerprint.toLowerCase()}`;
}

export const certificatePrefix = 'x5t#S256:';

/**
 * A session of the user whom the certificate is of, with a second proof. The nonce is used up with the first try.
 * @throws IamError PROOF_INVALID, whatever is wrong.
 */
export async function loginByCertificate(
  tools: Tools,
  proof: CertificateProof,
  client: Client,
  wishes: Pick<SessionStart, 'remember' | 'renewable'>,
): Promise<TokenResponse> {
  await takeNonce(tools, proof.text, client);
  const proven = await tools.providers.certificate(proof);
  if (!proven) throw fault('PROOF_INVALID');
  const { user, session, refreshToken } = await tools.store.transaction(async (tx) => {
    const user = (await isStillThere(tx, proven.authority)) ? await userOf(tx, proven) : undefined;
    if (!user || user.locked) throw fault('PROOF_INVALID');
    const start = { ...wishes, clientId: client.clientId, user, level: 'AUTH-MFA' } as const;
    return startLoginSession(tx, { ...start, callerKey: tools.source.key }, tools);
  });
  tools.authentication.throttles.loggedIn(user, tools.source.key);
  return tools.issuer.forUser(user, session, client, { refreshToken });
}

/** In a transaction of its own, so that it is gone also where nothing comes of the try. */
async function takeNonce({ store, clock }: { store: Store } & Tools, nonce: string, client: Client): Promise<void> {
  const ticket = await store.transaction((tx) => takeTicket(tx, 'certificate-nonce', nonce, clock));
  if (!ticket || ticket.clientId !== client.clientId) throw fault('PROOF_INVALID');
}

/** Whoever the certificate is registered with; else the one user who verified an address that it names. */
async function userOf(tx: Transaction, { fingerprint, emails }: ProvenCertificate): Promise<User | undefined> {
  const identity = certificateIdentity(fingerprint);
  const holder = await findByLogin(tx, identity);
  if (holder?.identities.some((name) => isIdentity(name, identity))) return holder;
  const users = new Map<string, User>();
  for (const email of emails) {
    const user = await findByOutsideEmail(tx, email);
    if (user) users.set(user.userId, user);
  }
  const [user] = users.values();
  return users.size === 1 ? user : undefined;
}

/** Hexadecimal digits count in either case. */
function isIdentity(name: string, identity: string): boolean {
  return name.startsWith(certificatePrefix) && name.toLowerCase() === identity.toLowerCase();
}
