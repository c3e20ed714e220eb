/** How factors are shown: masked, since a list of contacts is worth stealing. */
import type * as z from 'zod';
import type { FactorView } from '../../contract/factor-schemas.ts';
import type { Reader } from '../store/store.ts';
import type { Client, User } from '../store/tables.ts';
import { type MobileNumber, maskedDigits, maskedEmail } from './contacts.ts';
import { defaultFactor, factorsOf, factorsShown, type UserFactor } from './factors.ts';

type View = z.input<typeof FactorView>;

/** The factors of a user, as far as the calling client is shown them. */
export async function factorList(reader: Pick<Reader, 'factors'>, user: User, client: Client): Promise<View[]> {
  const usual = defaultFactor(user)?.id;
  return (await factorsShown(reader, user, client)).map((factor) => viewOf(factor, usual));
}

/** Every factor of a user in the order of their ids, whatever clients are shown, and whether it is verified. */
export async function allFactors(
  reader: Pick<Reader, 'factors'>,
  user: User,
): Promise<(View & { readonly verified: boolean })[]> {
  const usual = defaultFactor(user)?.id;
  const factors = (await factorsOf(reader, user)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return factors.map((factor) => ({ ...viewOf(factor, usual), verified: factor.verified }));
}

function viewOf({ id, contactType, email, mobile, tags, credential }: UserFactor, usual: string | undefined): View {
  return {
    id,
    contactType,
    ...(email === undefined ? {} : { email: maskedEmail(email) }),
    ...(mobile === undefined ? {} : { mobile: maskedMobile(mobile) }),
    tags: JSON.stringify(tags),
    credential,
    default: id === usual,
  };
}

function maskedMobile({ regionCode, phoneNumber }: MobileNumber): NonNullable<View['mobile']> {
  return { regionCode: String(regionCode), areaCode: '***', phoneNumber: maskedDigits(phoneNumber) };
}
