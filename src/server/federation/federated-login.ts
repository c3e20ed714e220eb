/** Logs a user in with an assertion of an identity provider. Each assertion is accepted once. */

import { isAscii } from '../../contract/email/domain-names.ts';
import { apiError, type ErrorReason, type IamError } from '../../contract/errors.ts';
import { Email } from '../../contract/schemas/contact.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import { singleQuote } from '../../lib/shell-variables.ts';
import type { Authentication } from '../auth/authenticate.ts';
import { isAdministrative, resolveGroupRolesOfUser } from '../directory/user-roles.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { hashSecret } from '../lib/secrets.ts';
import { startLoginSession } from '../sessions/login-session.ts';
import type { SessionDeps, SessionOptions } from '../sessions/sessions.ts';
import { clearExpired } from '../store/clear-expired.ts';
import type { Reader, Store, Transaction } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Client, Provider, User } from '../store/tables.ts';
import { readUserContent, type UserContent } from '../tokens/content.ts';
import type { TokenIssuer } from '../tokens/issue.ts';
import { findUserByLogin } from '../users/users.ts';
import { formatLink } from './subjects.ts';

/** The verified content of an ID token or a SAML response. */
export interface FederatedAssertion {
  readonly provider: Extract<Provider, { kind: 'oidc' | 'saml' }>;
  /** The identifier of the user at the provider. */
  readonly subject: string;
  /** Whether the identifier is stable between logins. */
  readonly persistent: boolean;
  readonly email?: string;
  /** Epoch seconds: when the user logged in at the provider, if it says so. */
  readonly authenticatedAt?: number;
  /** Identifies this assertion uniquely, to detect replays. */
  readonly replayKey: string;
  /** Epoch seconds; the assertion expires at this time. */
  readonly expiresAt: number;
}

export interface FederatedLoginDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: SessionDeps['settings'];
  readonly issuer: Pick<TokenIssuer, 'measure'>;
  readonly storeSecret: StoreSecret;
  readonly source: RequestSource;
  readonly authentication: Authentication;
}

export type ExternalSessionOptions = Pick<SessionOptions, 'remember' | 'renewable' | 'browser'>;

/** The error of an assertion. @param text why, for operators: the caller gets no reason */
export function createProofError(text: string): IamError {
  return apiError('PROOF_INVALID').withReason({ text });
}

/**
 * Starts a session at AUTH-BASIC for the user of the assertion. A rejected assertion is not consumed, so that it can be
 * used if the user is created before it expires.
 * @returns what its token says
 * @throws IamError PROOF_INVALID if the assertion is invalid, expired or used, or the user is locked; SUBJECT_UNKNOWN.
 */
export async function startAssertionSession(
  deps: FederatedLoginDeps,
  assertion: FederatedAssertion | undefined,
  client: Client,
  options: ExternalSessionOptions,
): Promise<UserContent> {
  if (!assertion) throw apiError('PROOF_INVALID');
  return startExternalSession(deps, client, { ...options, level: 'AUTH-BASIC' }, async (tx) => {
    if (!(await isProviderUnchanged(tx, assertion.provider)))
      throw createProofError('The provider was changed meanwhile.');
    await consumeAssertion(tx, assertion, deps);
    const user = await findLinkedUser(tx, assertion);
    if (!user) throw apiError('SUBJECT_UNKNOWN').withReason(await explainUnknownSubject(tx, assertion));
    return user;
  });
}

/**
 * Starts a session of the user whom an external credential identifies, and returns what its token says.
 * @throws IamError PROOF_INVALID if the user is locked; any error of `findUser`.
 */
export async function startExternalSession(
  deps: FederatedLoginDeps,
  client: Client,
  options: ExternalSessionOptions & Pick<SessionOptions, 'level'>,
  findUser: (tx: Transaction) => Promise<User>,
): Promise<UserContent> {
  const content = await deps.store.transaction(async (tx) => {
    const user = await findUser(tx);
    if (user.locked) throw apiError('PROOF_INVALID').withReason({ text: 'The user is locked.', userId: user.userId });
    const start = { ...options, client, user, callerKey: deps.source.key };
    return readUserContent(deps, { ...(await startLoginSession(tx, start, deps)), client });
  });
  await deps.authentication.throttles.recordExternalLogin(content.user, deps.source.key);
  return content;
}

/** Whether the stored provider is still the one that the assertion was verified with. */
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
  if (expiresAt <= now || (await tx.usedProofs.get(proofHash)))
    throw createProofError('The assertion was used already, or has expired.');
  await clearExpired(tx.usedProofs, (row) => row.proofHash, now, proofHash);
  await tx.usedProofs.insert({ proofHash, expiresAt });
}

/**
 * Finds the user by the link `<provider>:<subject>`; else by a verified e-mail in a domain of the provider, and adds the link.
 * Only the first link of a user to a provider is made so: there, an address can pass to another person, and only the subject
 * identifies one (OpenID Connect Core 1.0, 5.7).
 */
async function findLinkedUser(tx: Transaction, assertion: FederatedAssertion): Promise<User | undefined> {
  const { provider, subject, persistent, email } = assertion;
  const link = formatLink(provider.name, subject);
  const holder = await findUserByLogin(tx, link);
  if (persistent && holder?.identities.includes(link)) return holder;
  const user = await findUserByProviderEmail(tx, email, provider.emailDomains);
  if (!user || isLinkedTo(user, provider)) return undefined;
  if (!persistent) return user;
  // Subjects are case-sensitive and login names are not, so the link may belong to another user.
  if (holder) return undefined;
  const linked = { ...user, identities: [...user.identities, link] };
  await tx.users.replace(linked);
  return linked;
}

function isLinkedTo({ identities }: User, { name }: Provider): boolean {
  return identities.some((identity) => identity.startsWith(formatLink(name, '')));
}

type RoleReader = Pick<Reader, 'users' | 'groups' | 'memberships'>;

async function findUserByProviderEmail(
  reader: RoleReader,
  email: string | undefined,
  domains: readonly string[],
): Promise<User | undefined> {
  return email !== undefined && isInDomains(email, domains) ? findUserByVerifiedEmail(reader, email) : undefined;
}

function isInDomains(email: string, domains: readonly string[]): boolean {
  const domain = foldDomain(email.slice(email.lastIndexOf('@') + 1));
  return domains.map(foldDomain).includes(domain);
}

/** Reads the same for every assertion with an address, so that the response time does not tell who has it. */
async function explainUnknownSubject(
  reader: RoleReader,
  { provider, subject, email }: FederatedAssertion,
): Promise<ErrorReason> {
  const link = formatLink(provider.name, subject);
  const text = `No user has the login identifier ${link}`;
  if (email === undefined) return { text: `${text}, and the provider vouches for no e-mail address.` };
  const user = await findUserByLogin(reader, email);
  if (!isInDomains(email, provider.emailDomains))
    return { text: `${text}, and the domain of the e-mail address is not in emailDomains of the provider.` };
  if (!user?.emailVerified) return { text: `${text}, and no user has verified the e-mail address.` };
  const rule = isLinkedTo(user, provider) ? 'who has another account of the provider' : 'an administrator';
  return {
    text: `${text}. Its e-mail address is that of ${user.userName}, ${rule}, whom only a login identifier finds: iam users add-identity ${user.userId} ${singleQuote(link)}`,
  };
}

function foldDomain(domain: string): string {
  return foldIdentifier(`@${domain}`);
}

/**
 * The user who verified this address here, for a login through an external provider. Never returns an administrator:
 * adding an authentication method to one requires AUTH-MFA. Addresses with other spellings of ASCII letters are not looked
 * up: they may fold to the address of another user.
 */
export async function findUserByVerifiedEmail(reader: RoleReader, email: string): Promise<User | undefined> {
  if (!Email.safeParse(email).success || !isPlainlySpelled(email)) return undefined;
  const user = await findUserByLogin(reader, email);
  // Resolved for unknown addresses too, so that the response time is the same.
  const roles = await resolveGroupRolesOfUser(reader, user ?? absentUser);
  const isVerified = user?.emailVerified && user.userEmail !== undefined;
  if (!isVerified || foldIdentifier(user.userEmail ?? '') !== foldIdentifier(email)) return undefined;
  return isAdministrative(roles) ? undefined : user;
}

/** Whether no letter of the local part is another spelling of an ASCII letter, such as the Kelvin sign. */
function isPlainlySpelled(email: string): boolean {
  const letters = [...email.slice(0, email.lastIndexOf('@'))];
  return letters.every((letter) => isAscii(letter) || ![...foldIdentifier(letter)].some(isAscii));
}

const absentUser = { userId: '' };
