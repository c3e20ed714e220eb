/** Factors, the contacts that receive second-factor codes of a user: main contacts with fixed ids, and alternative ones. */
import { apiError } from '../../contract/errors.ts';
import { markedTag } from '../../contract/schemas/contact.ts';
import type { MobileNumber } from '../messaging/contacts.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Client, Factor, User } from '../store/tables.ts';
import { assertLoginNamesAvailable } from '../users/users.ts';

const mainEmailFactorId = 'main-email';
const mainMobileFactorId = 'main-mobile';

type FactorReader = Pick<Reader, 'factors'>;

/** A main or an alternative contact. */
export interface UserFactor {
  readonly id: string;
  readonly contactType: Factor['contactType'];
  readonly email?: string | undefined;
  readonly mobile?: MobileNumber | undefined;
  readonly tags: readonly string[];
  readonly verified: boolean;
  /** A main contact. */
  readonly credential: boolean;
}

export function listMainFactors({ userEmail, emailVerified, userMobile, mobileVerified }: User): UserFactor[] {
  const common = { tags: [], credential: true };
  const factors: UserFactor[] = [];
  if (userEmail !== undefined)
    factors.push({ ...common, id: mainEmailFactorId, contactType: 'EMAIL', email: userEmail, verified: emailVerified });
  if (userMobile !== undefined)
    factors.push({
      ...common,
      id: mainMobileFactorId,
      contactType: 'MOBILE',
      mobile: userMobile,
      verified: mobileVerified,
    });
  return factors;
}

/** The alternative contacts of a user, ordered by id. */
export async function listAlternativeFactors(reader: FactorReader, userId: string): Promise<readonly Factor[]> {
  return reader.factors.find('userId', userId);
}

/** The fields that an update of an alternative contact writes: its ETag is of them. */
export function toUpdatableFactor({ factorId, contactType, email, mobile, tags }: Factor): object {
  return { factorId, contactType, email, mobile, tags };
}

function toUserFactor({ factorId, contactType, email, mobile, tags, verified }: Factor): UserFactor {
  return { id: factorId, contactType, email, mobile, tags, verified, credential: false };
}

/** The default factor for MFA: the first verified main contact. */
export function findDefaultFactor(user: User): UserFactor | undefined {
  return listMainFactors(user).find(({ verified }) => verified);
}

/**
 * The factors of its user that a client may see: CREDENTIALS_ONLY the main contacts, MARKED_RESOURCES the alternative
 * ones with that tag, UNRESTRICTED all.
 */
export async function listVisibleFactors(reader: FactorReader, user: User, client: Client): Promise<UserFactor[]> {
  const isVisible = (factor: UserFactor) =>
    factor.credential ? client.factorVisibility !== 'MARKED_RESOURCES' : isAlternativeVisible(factor, client);
  return (await listFactors(reader, user)).filter(isVisible);
}

/** Every factor of a user: the main contacts, then the alternative ones ordered by id. */
export async function listFactors(reader: FactorReader, user: User): Promise<UserFactor[]> {
  return [...listMainFactors(user), ...(await listAlternativeFactors(reader, user.userId)).map(toUserFactor)];
}

/** For a client, an alternative contact that it may not see does not exist. */
function isAlternativeVisible({ tags }: Pick<UserFactor, 'tags'>, { factorVisibility }: Client): boolean {
  return factorVisibility === 'UNRESTRICTED' || (factorVisibility === 'MARKED_RESOURCES' && tags.includes(markedTag));
}

/**
 * The requested factor of a user. Every client can use the main contacts: their ids are not secret, and the code is sent
 * to the user only. @throws IamError FACTOR_NOT_FOUND.
 */
export async function requireFactor(
  reader: FactorReader,
  user: User,
  client: Client,
  factorId: string,
): Promise<UserFactor> {
  const main = listMainFactors(user).find(({ id }) => id === factorId);
  if (main) return main;
  const factor = await reader.factors.get(factorId);
  if (factor?.userId !== user.userId || !isAlternativeVisible(factor, client)) throw apiError('FACTOR_NOT_FOUND');
  return toUserFactor(factor);
}

/** The alternative contact of a user for a change request. @throws IamError FACTOR_NOT_FOUND, MAIN_CONTACT. */
export async function requireChangeableFactor(reader: FactorReader, user: User, factorId: string): Promise<Factor> {
  if (listMainFactors(user).some(({ id }) => id === factorId)) throw apiError('MAIN_CONTACT');
  return requireAlternativeFactor(reader, user, factorId);
}

/** An alternative contact of a user; main contacts are not found. @throws IamError FACTOR_NOT_FOUND. */
export async function requireAlternativeFactor(reader: FactorReader, user: User, factorId: string): Promise<Factor> {
  const main = listMainFactors(user).find(({ id }) => id === factorId);
  const field = main?.contactType === 'EMAIL' ? 'userEmail' : 'userMobile';
  if (main) throw apiError('FACTOR_NOT_FOUND', `A main contact cannot be removed here. Clear ${field} of the user.`);
  const factor = await reader.factors.get(factorId);
  if (factor?.userId !== user.userId) throw apiError('FACTOR_NOT_FOUND');
  return factor;
}

/** The target of a code for a factor that a session requested. Neither id contains a slash. */
export function formatFactorTarget(sessionId: string, factorId: string): string {
  return `${sessionId}/${factorId}`;
}

/** Whether a code has this target, for any session. */
export function isTargetOfFactor(target: string | undefined, factorId: string): boolean {
  return target?.endsWith(`/${factorId}`) ?? false;
}

/**
 * Marks a contact of the user as verified. A verified main e-mail is also a login name.
 * @throws IamError LOGIN_NAME_TAKEN if another user has verified it before.
 */
export async function markFactorVerified(tx: Transaction, user: User, factor: UserFactor): Promise<void> {
  if (factor.verified) return;
  if (!factor.credential) {
    const row = await tx.factors.get(factor.id);
    if (row) await tx.factors.replace({ ...row, verified: true });
    return;
  }
  const verifiedUser = {
    ...user,
    ...(factor.id === mainEmailFactorId ? { emailVerified: true } : { mobileVerified: true }),
  };
  await assertLoginNamesAvailable(tx, verifiedUser, user);
  await tx.users.replace(verifiedUser);
}
