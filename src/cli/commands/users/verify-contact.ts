/** Marks the contact of a user as verified: a contact that an administrator sets is. */
import type { CommandOptions, Context } from '../../context.ts';
import { callOperation } from '../../request/call-operation.ts';
import { getOperation } from '../../request/find-operation.ts';
import { previewOf, type RequestPreview } from '../../request/preview.ts';

export const verifyContactOption = [
  '--verify-contact',
  'mark the e-mail address, or else the mobile number, of the user as verified first',
] as const;

export interface UserContacts {
  readonly userEmail?: string;
  readonly userMobile?: { readonly regionCode: number; readonly areaCode: number; readonly phoneNumber: number };
}

const updateId = 'user-identities.update';

/** Reads the main contacts of a user, unmasked. */
export async function readContacts(context: Context, userId: string): Promise<UserContacts> {
  const { body } = await callOperation(context, 'user-identities.get', { params: { id: userId } });
  return body as UserContacts;
}

/** Sets the main contact of a user to what it is. @returns false if the user has none */
export async function verifyContact(context: Context, userId: string): Promise<boolean> {
  const read = await callOperation(context, 'user-identities.get', { params: { id: userId } });
  const body = selectContact(read.body as UserContacts);
  if (!body) return false;
  // The contact that is marked is the one that was read.
  await callOperation(context, updateId, { params: { id: userId }, body, ifMatch: read.headers.etag });
  context.notice(`Marked the ${body.userEmail ? 'e-mail address' : 'mobile number'} of ${userId} as verified.`);
  return true;
}

/** The request that `verifyContact` sends, for --dry-run; none without the option. */
export async function previewVerification(
  context: Context,
  userId: string | undefined,
  options: CommandOptions,
): Promise<readonly RequestPreview[]> {
  if (options.verifyContact !== true || userId === undefined) return [];
  const body = selectContact(await readContacts(context, userId));
  return body ? [previewOf(context, getOperation(context.manifest, updateId), { params: { id: userId }, body })] : [];
}

function selectContact({ userEmail, userMobile }: UserContacts): UserContacts | undefined {
  if (userEmail !== undefined) return { userEmail };
  return userMobile && { userMobile };
}
