/** Response form of factors: masked, because a list of contacts is worth stealing. */
import type * as z from 'zod';
import type { FactorDetail, FactorView } from '../../contract/schemas/factor.ts';
import { maskEmail } from '../../lib/masked-email.ts';
import { type MobileNumber, maskDigits } from '../messaging/contacts.ts';
import type { Reader } from '../store/store.ts';
import type { Client, User } from '../store/tables.ts';
import { findDefaultFactor, listFactors, listVisibleFactors, type UserFactor } from './factors.ts';

type View = z.input<typeof FactorView>;
type Detail = z.input<typeof FactorDetail>;

/** The factors of a user that the calling client may see. */
export async function listVisibleFactorViews(
  reader: Pick<Reader, 'factors'>,
  user: User,
  client: Client,
): Promise<View[]> {
  const defaultId = findDefaultFactor(user)?.id;
  const factors = await listVisibleFactors(reader, user, client);
  return factors.map((factor) => ({ ...maskFactor(factor, defaultId), tags: JSON.stringify(factor.tags) }));
}

/** Every factor of a user ordered by id, regardless of the client's visibility, with its verification status. */
export async function listAllFactorViews(reader: Pick<Reader, 'factors'>, user: User): Promise<Detail[]> {
  const defaultId = findDefaultFactor(user)?.id;
  const factors = (await listFactors(reader, user)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return factors.map((factor) => ({
    ...maskFactor(factor, defaultId),
    tags: [...factor.tags],
    verified: factor.verified,
  }));
}

function maskFactor(
  { id, contactType, email, mobile, credential }: UserFactor,
  defaultId: string | undefined,
): Omit<View, 'tags'> {
  return {
    id,
    contactType,
    ...(email === undefined ? {} : { email: maskEmail(email) }),
    ...(mobile === undefined ? {} : { mobile: maskMobile(mobile) }),
    credential,
    default: id === defaultId,
  };
}

function maskMobile({ regionCode, phoneNumber }: MobileNumber): NonNullable<View['mobile']> {
  return { regionCode: String(regionCode), areaCode: '***', phoneNumber: maskDigits(phoneNumber) };
}
