/** Logging a user in by the word of an identity provider, which counts once. */
import { fault } from '../../contract/errors.ts';
import { Email } from '../../contract/schemas.ts';
import { type Clock, epochSeconds } from '../clock.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Randomness } from '../randomness.ts';
import type { Reader, Store, Transaction } from '../store/store.ts';
import { type Client, foldIdentifier, type Provider, type User } from '../store/tables.ts';
import type { TokenIssuer, TokenResponse } from '../tokens/issue.ts';
import type { Authentication } from './authenticate.ts';
import { clearExpired } from './clear-expired.ts';
import { startLoginSession } from './login-session.ts';
import { hashSecret } from './secrets.ts';
import type { SessionStart } from './sessions.ts';
import type { StoreKey } from './store-key.ts';
import { findByLogin, groupRolesOfUser, isAdministrative } from './users.ts';

/** What an ID token or a SAML response proves. */
export interface OutsideProof {
  readonly provider: Extract<Provider, { kind: 'oidc' | 'saml' }>;
  /** The name that the provider knows the user by. */
  readonly subject: string;
  /** Whether it is the same name the next time. */
  readonly lasting: boolean;
  /** An address that the provider says is the user's. */
  readonly email?: string;
  /** What tells this proof from every other. */
  readonly name: string;
  /** Epoch seconds; from then on it proves nothing. */
  readonly expiresAt: number;
}

/** What logging in needs of a call's context. */
export interface ProofTools {
  readonly store: Store;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly issuer: TokenIssuer;
  readonly storeKey: StoreKey;
  readonly source: RequestSource;
  readonly authentication: Authentication;
}

/**
 * A session of the user whom the proof is of, at the level of a password. A refused proof is not used up, so that it
 * still counts when the user comes to be in its time.
 * @throws IamError PROOF_INVALID where the proof is none, over, or used, or the user locked; SUBJECT_UNKNOWN.
 */
export async function loginByProof(
  tools: ProofTools,
  proof: OutsideProof | undefined,
  client: Client,
  wishes: Pick<SessionStart, 'remember' | 'renewable'>,
): Promise<TokenResponse> {
  if (!proof) throw fault('PROOF_INVALID');
  const { user, session, refreshToken } = await tools.store.transaction(async (tx) => {
    if (!(await isStillThere(tx, proof.provider))) throw fault('PROOF_INVALID');
    await use(tx, proof, tools);
    const user = await userOf(tx, proof);
    if (!user) throw fault('SUBJECT_UNKNOWN');
    if (user.locked) throw fault('PROOF_INVALID');
    const start = { ...wishes, clientId: client.clientId, user, level: 'AUTH-BASIC' } as const;
    return startLoginSession(tx, { ...start, callerKey: tools.source.key }, tools);
  });
  tools.authentication.throttles.loggedIn(user, tools.source.key);
  return tools.issuer.forUser(user, session, client, { refreshToken });
}

/** Whether the store says of a provider what it said when the proof was looked at. */
export async function isStillThere(reader: Pick<Reader, 'providers'>, provider: Provider): Promise<boolean> {
  return JSON.stringify(await reader.providers.get(provider.name)) === JSON.stringify(provider);
}

async function use(tx: Transaction, { name, expiresAt }: OutsideProof, { clock }: ProofTools) {
  const now = epochSeconds(clock);
  const proofHash = hashSecret(name);
  if (expiresAt <= now || (await tx.usedProofs.get(proofHash))) throw fault('PROOF_INVALID');
  await clearExpired(tx.usedProofs, (row) => row.proofHash, now, proofHash);
  await tx.usedProofs.insert({ proofHash, expiresAt });
}

/** By the link `<provider>:<subject>`; else by a verified e-mail in a domain of the provider, which makes the link. */
async function userOf(tx: Transaction, proof: OutsideProof): Promise<User | undefined> {
  const { provider, subject, lasting, email } = proof;
  const link = `${provider.name}:${subject}`;
  const holder = await findByLogin(tx, link);
  if (lasting && holder?.identities.includes(link)) return holder;
  const user = await userOfEmail(tx, email, provider.emailDomains);
  if (!user || !lasting) return user;
  // Subjects are told apart by case and names that log in are not, so the link may be somebody else's.
  if (holder) return undefined;
  const linked = { ...user, identities: [...user.identities, link] };
  await tx.users.replace(linked);
  return linked;
}

type RoleReader = Pick<Reader, 'users' | 'groups' | 'memberships'>;

async function userOfEmail(
  reader: RoleReader,
  email: string | undefined,
  domains: readonly string[],
): Promise<User | undefined> {
  if (email === undefined) return undefined;
  const domain = foldIdentifier(email.slice(email.lastIndexOf('@') + 1));
  return domains.map(foldIdentifier).includes(domain) ? findByOutsideEmail(reader, email) : undefined;
}

/**
 * The user who proved this address to us, by the word of an outside authority. An administrator is not found: another
 * way to sign in as one takes AUTH-MFA. Only plain addresses are looked for: others may fold to that of another user.
 */
export async function findByOutsideEmail(reader: RoleReader, email: string): Promise<User | undefined> {
  if (!Email.safeParse(email).success) return undefined;
  const user = await findByLogin(reader, email);
  // Looked up in any case, so that an unknown address takes as long.
  const roles = await groupRolesOfUser(reader, user ?? absentUser);
  const own = user?.emailVerified && user.userEmail !== undefined;
  if (!own || foldIdentifier(user.userEmail ?? '') !== foldIdentifier(email)) return undefined;
  return isAdministrative(roles) ? undefined : user;
}

const absentUser = { userId: '' };
