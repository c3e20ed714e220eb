/** Schemas of users and their passwords. */
import * as z from 'zod';
import { normalizeEmail } from '../email/email-address.ts';
import { definition, reference } from '../entities.ts';
import { sensitive } from '../sensitive.ts';
import { Id, isReservedName, memberList, singleLine, surrogate, textUpTo } from './primitives.ts';

export const UserId = Id.meta({
  description: 'User id',
  'x-argument': 'user-id',
  ...reference('user', ['id']),
  examples: ['alice'],
});

export const maxUserNameLength = 100;
export const userNameTooLong = `must not be longer than ${maxUserNameLength} characters with its domain in ASCII form`;

/** The domain of a name that is an e-mail address is stored as A-labels, which are longer. */
export function isStorableUserName(name: string): boolean {
  return [...normalizeEmail(name)].length <= maxUserNameLength;
}

/** A login name of a user. Uniqueness is checked in the handlers. */
export const UserName = singleLine(maxUserNameLength, 'Name that the user logs in with')
  .refine(isStorableUserName, userNameTooLong)
  .refine((value) => !isReservedName(value), 'is a reserved word')
  .meta({ ...definition('user', 'name'), examples: ['alice'] });

/** A password for a login. Any text up to the maximum length is accepted and verified. */
export const LoginPassword = sensitive(textUpTo(1000).meta({ examples: ['correct horse battery staple'] }), 'secret');

/** A new password. The password policy reports each violated rule; text that is not well-formed Unicode is rejected here. */
export const NewPassword = LoginPassword.refine(
  (value) => !surrogate.test(value),
  'must be well-formed Unicode',
).describe(
  '8 to 128 code points in NFC; not a common password; must not contain the user name, the local part of the e-mail address or the name of the service (case-insensitive)',
);

export const UserReference = z.strictObject({ userId: UserId }).meta({ id: 'UserReference', description: 'A user.' });

export const UserReferences = memberList(UserReference);

type UserList = z.output<typeof UserReferences>;

/** A list of users, or one user without the brackets. Not a union, which would lose the path of a wrong field. */
export const OneOrManyUsers = z.preprocess(
  (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? [value] : value),
  UserReferences,
) as z.ZodType<UserList, UserList | UserList[number]>;
