/** Logging a user in by the word of an identity provider, which counts once. */
import { apiError } from '../../contract/errors.ts';
import { Email } from '../../contract/schemas.ts';
import { type Clock, epochSeconds } from '../clock.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Random } from '../random.ts';
import type { Reader, Store, Transaction } from '../store/store.ts';
import { type Client, foldIdentifier, type Provider, type User } from '../store/tables.ts';
import type { TokenIssuer, TokenResponse } from '../tokens/issue.ts';
import type { Authentication } from './authenticate.ts';
import { clearExpired } from './clear-expired.ts';
import { startLoginSession } from './login-session.ts';
import { hashSecret } from './secrets.ts';
import type { SessionOptions } from './sessions.ts';
import type { StoreSecret } from './store-secret.ts';
import { findUserByLogin, isAdministrative, resolveGroupRolesOfUser } from './user-roles.ts';

/** What an ID token or a SAML response proves. */
export interface FederatedAssertion {
  readonly provider: Extract<Provider, { kind: 'oidc' | 'saml' }>;
  /** The name that the provider knows the user by. */
  readonly subject: string;
  /** Whether it is the same name the next time. */
  readonly persistent: boolean;
  /** An address that the provider says is the user's. */
  readonly email?: string;
  /** What tells this proof from every other. */
  readonly replayKey: string;
  /** Epoch seconds; from then on it proves nothing. */
  readonly expiresAt: number;
}

/** What logging in needs of a call's context. */
export interface FederatedLoginDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly issuer: TokenIssuer;
  readonly storeSecret: StoreSecret;
  readonly source: RequestSource;
  readonly authentication: Authentication;
}

/**
 * A session of the user whom the proof is of, at the level of a password. A refused proof is not used up, so that it
 * still counts when the user comes to be in its time.
 * @throws IamError PROOF_INVALID where the proof is none, over, or used, or the user locked; SUBJECT_UNKNOWN.
 */
export async function loginWithAssertion(
  deps: FederatedLoginDeps,
  assertion: FederatedAssertion | undefined,
  client: Client,
  options: Pick<SessionOptions, 'remember' | 'renewable'>,
): Promise<TokenResponse> {
  if (!assertion) throw apiError('PROOF_INVALID');
  const { user, session, refreshToken } = await deps.store.transaction(async (tx) => {
    if (!(await isProviderUnchanged(tx, assertion.provider))) throw apiError('PROOF_INVALID');
    await consumeAssertion(tx, assertion, deps);
    const user = await findLinkedUser(tx, assertion);
    if (!user) throw apiError('SUBJECT_UNKNOWN');
    if (user.locked) throw apiError('PROOF_INVALID');
    const start = { ...options, clientId: client.clientId, user, level: 'AUTH-BASIC' } as const;
    return startLoginSession(tx, { ...start, callerKey: deps.source.key }, deps);
  });
  deps.authentication.throttles.recordLogin(user, deps.source.key);
  return deps.issuer.issueForUser(user, session, client, { refreshToken });
}

/** Whether the store says of a provider what it said when the proof was looked at. */
export async function isProviderUnchanged(reader: Pick<Reader, 'providers'>, provider: Provider): Promise<boolean> {
  return JSON.stringify(await reader.providers.get(provider.name)) === JSON.stringify(provider);
}

async function consumeAssertion(
  tx: Transaction,
  { replayKey: name, expiresAt }: FederatedAssertion,
  { clock }: FederatedLoginDeps,
) {
  const now = epochSeconds(clock);
  const proofHash = hashSecret(name);
  if (expiresAt <= now || (await tx.usedProofs.get(proofHash))) throw apiError('PROOF_INVALID');
  await clearExpired(tx.usedProofs, (row) => row.proofHash, now, proofHash);
  await tx.usedProofs.insert({ proofHash, expiresAt });
}

/** By the link `<provider>:<subject>`; else by a verified e-mail in a domain of the provider, which makes the link. */
async function findLinkedUser(tx: Transaction, assertion: FederatedAssertion): Promise<User | undefined> {
  const { provider, subject, persistent, email } = assertion;
  const link = `${provider.name}:${subject}`;
  const holder = await findUserByLogin(tx, link);
  if (persistent && holder?.identities.includes(link)) return holder;
  const user = await findUserByProviderEmail(tx, email, provider.emailDomains);
  if (!user || !persistent) return user;
  // Subjects are told apart by case and names that log in are not, so the link may be somebody else's.
  if (holder) return undefined;
  const linked = { ...user, identities: [...user.identities, link] };
  await tx.users.replace(linked);
  return linked;
}

type RoleReader = Pick<Reader, 'users' | 'groups' | 'memberships'>;

async function findUserByProviderEmail(
  reader: RoleReader,
  email: string | undefined,
  domains: readonly string[],
): Promise<User | undefined> {
  if (email === undefined) return undefined;
  const domain = foldIdentifier(email.slice(email.lastIndexOf('@') + 1));
  return domains.map(foldIdentifier).includes(domain) ? findUserByVerifiedEmail(reader, email) : undefined;
}

/**
 * The user who proved this address to us, by the word of an outside authority. An administrator is not found: another
 * way to sign in as one takes AUTH-MFA. Only plain addresses are looked for: others may fold to that of another user.
 */
export async function findUserByVerifiedEmail(reader: RoleReader, email: string): Promise<User | undefined> {
  if (!Email.safeParse(email).success) return undefined;
  const user = await findUserByLogin(reader, email);
  // Looked up in any case, so that an unknown address takes as long.
  const roles = await resolveGroupRolesOfUser(reader, user ?? absentUser);
  const isVerified = user?.emailVerified && user.userEmail !== undefined;
  if (!isVerified || foldIdentifier(user.userEmail ?? '') !== foldIdentifier(email)) return undefined;
  return isAdministrative(roles) ? undefined : user;
}

const absentUser = { userId: '' };
