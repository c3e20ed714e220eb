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

/** Reads the main contacts of a user, unmasked, with the version that they are of. */
export async function readContacts(
  context: Context,
  userId: string,
): Promise<{ readonly contacts: UserContacts; readonly etag: string | undefined }> {
  const { body, headers } = await callOperation(context, 'user-identities.get', { params: { id: userId } });
  return { contacts: body as UserContacts, etag: headers.etag };
}

/** Sets the main contact of a user to what it is. @returns false if the user has none */
export async function verifyContact(context: Context, userId: string): Promise<boolean> {
  const { contacts, etag } = await readContacts(context, userId);
  const body = selectContact(contacts);
  if (!body) return false;
  // The contact that is marked is the one that was read.
  await callOperation(context, updateId, { params: { id: userId }, body, ifMatch: etag });
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
  const body = selectContact((await readContacts(context, userId)).contacts);
  return body ? [previewOf(context, getOperation(context.manifest, updateId), { params: { id: userId }, body })] : [];
}

function selectContact({ userEmail, userMobile }: UserContacts): UserContacts | undefined {
  if (userEmail !== undefined) return { userEmail };
  return userMobile && { userMobile };
}
