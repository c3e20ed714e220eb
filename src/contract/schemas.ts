/** Schemas that several operations share. Their ids become the component names of the API document. */
import * as z from 'zod';
import { defines, reference } from './entities.ts';
import { sensitive } from './sensitive.ts';

/** 1 to 64 of these, as the interface rules give them for ids that a caller may choose. */
export const Id = z
  .string()
  .regex(/^[A-Za-z0-9._:@-]{1,64}$/, 'must be 1 to 64 letters, digits or . _ : @ -')
  .describe('An id: 1 to 64 of letters, digits and . _ : @ -');

/** Everything below the blank and the delete character; a name that holds one would break terminals and logs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const controlCharacter = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Half of a character: JSON may hold one, and nothing that is encoded as UTF-8 can. */
const surrogate = /\p{Surrogate}/u;

/** Text of at most so many characters, as JSON Schema counts them: `max` would count some characters twice. */
function boundedText(longest: number, description?: string) {
  return z
    .string()
    .min(1, 'must not be empty')
    .refine(
      (text) => text.length <= longest || (text.length <= 2 * longest && [...text].length <= longest),
      `must not be longer than ${longest} characters`,
    )
    .meta({ maxLength: longest, ...(description === undefined ? {} : { description }) });
}

/** A short text of one line. */
export function singleLine(longest: number, description: string) {
  return boundedText(longest, description)
    .refine((value) => !controlCharacter.test(value), 'must not contain control characters')
    .refine((value) => !surrogate.test(value), 'must be well-formed Unicode');
}

export const GroupName = singleLine(
  100,
  'Unique name of a group: 1 to 100 characters, no slash, no control character, not 24 hexadecimal digits',
)
  .refine((value) => !value.includes('/'), 'must not contain a slash')
  .refine((value) => !/^[0-9a-f]{24}$/i.test(value), 'must not look like an id (24 hexadecimal digits)')
  .refine((value) => !isReservedName(value), 'is a reserved word')
  .meta(defines('group', 'name'));

/** Words that mean something in a path, so nothing may be called by them. `.` and `..` vanish in every URL parser. */
export const reservedNames: ReadonlySet<string> = new Set([
  '.',
  '..',
  'me',
  'main-email',
  'main-mobile',
  'role',
  'dependency',
  'user-accounts',
  'business-accounts',
  'service-accounts',
  'roles',
  'login',
  'connect',
  'organizational-structure',
  'lock',
  'unlock',
  'identification',
  'login-legacy',
  'auth-legacy-by-param',
  'remember-me',
  'renew-token',
  'reset-password',
  'retrieve-identity',
  'digital-certificate',
  'renew-app-token',
  'retrieve-legacy-identity',
  'reset-legacy-password',
  'login-federated',
]);

export function isReservedName(value: string): boolean {
  return reservedNames.has(value);
}

/** An id that a caller chooses for something new. */
export const NewId = Id.refine((value) => !isReservedName(value), 'is a reserved word');

/** In a path: the id or the name of a group. */
export const GroupReference = singleLine(100, 'Id or name of the group').meta({
  'x-argument': 'group',
  'x-label': 'Id or name of the group',
  ...reference('group', ['name', 'id']),
});

export const RoleName = z
  .string()
  .max(100, 'must not be longer than 100 characters')
  // Without its prefix it is to be a role name too, and one that no second reading shortens further.
  .regex(/^(ROLE_)?(?!ROLE_)[A-Z][A-Z0-9_-]*$/, 'must be upper-case letters, digits, _ and -, starting with a letter')
  .meta({ description: 'Name of a role, with or without the prefix ROLE_', ...reference('role', ['name']) });

export const Empty = z.strictObject({}).meta({ id: 'Empty', description: 'An empty object.' });

export const Token = z
  .strictObject({
    accessToken: sensitive(z.string().describe('JWT (RFC 9068)'), 'secret'),
    tokenType: z.literal('Bearer'),
    refreshToken: sensitive(z.string(), 'secret')
      .optional()
      .describe('Opaque, for renewal; absent where the session has none'),
    expiresIn: z.string().regex(/^\d+$/).describe('Remaining seconds as a string of digits'),
    scope: z.array(z.string()),
  })
  .meta({ id: 'Token', description: 'Token response.' });

export const Dependency = z
  .strictObject({
    groupName: boundedText(100).meta(reference('group', ['name', 'id'])),
  })
  .meta({ id: 'Dependency', description: 'A group whose roles this one has as well, by its name or id.' });

export const GroupSchema = z
  .strictObject({
    groupId: z.string(),
    groupName: z.string(),
    organizationId: z.string().optional(),
    businessUnitId: z.string().optional(),
    roles: z.array(z.string()),
    dependencies: z.array(Dependency),
  })
  .meta({ id: 'Group', description: 'A group with its own roles and the groups it depends on.' });

/** What create and update of a group take. */
export const GroupInput = z
  .strictObject({
    groupName: GroupName,
    organizationId: singleLine(64, 'Organization the group belongs to').optional(),
    businessUnitId: singleLine(64, 'Business unit the group belongs to').optional(),
    roles: z
      .array(RoleName)
      .max(1000, 'must not have more than 1000 entries')
      .optional()
      .describe('Roles that members have'),
    dependencies: z
      .array(Dependency)
      .max(1000, 'must not have more than 1000 entries')
      .optional()
      .describe('Groups whose roles members have as well'),
  })
  .meta({ id: 'GroupInput' });

export const ApiKeySchema = z
  .strictObject({
    apiKeyId: z.string(),
    appId: z.string(),
    clientId: z.string(),
    hint: z.string().describe('The last four characters of the key'),
    createdAt: z.string().describe('ISO 8601, UTC'),
    lastUsedAt: z.string().optional().describe('ISO 8601, UTC; written now and then, not at every use'),
  })
  .meta({ id: 'ApiKey', description: 'An API key without the key itself.' });

export const PageQuery = {
  limit: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(1000, 'must be at most 1000')
    .optional()
    .describe('Entries a page, 1 to 1000; 100 where missing'),
  after: z.string().max(512, 'is too long').optional().describe('Cursor from the Link header of the page before'),
};

/** A login name of a user; whether it is free is another matter. */
export const UserName = singleLine(100, 'Name that the user logs in with')
  .refine((value) => !isReservedName(value), 'is a reserved word')
  .meta(defines('user', 'name'));

export const Email = z
  .email('must be an e-mail address')
  .max(254, 'must not be longer than 254 characters')
  .meta({ description: 'E-mail address (RFC 5321)', 'x-label': 'E-mail address' });

const boundedInteger = (least: number, most: number, description: string) =>
  z
    .int('must be a whole number')
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`)
    .describe(description);

export const Mobile = z
  .strictObject({
    regionCode: boundedInteger(1, 999, '1 to 3 digits'),
    areaCode: boundedInteger(1, 9999, '1 to 4 digits'),
    phoneNumber: boundedInteger(1000, 999_999_999_999, '4 to 12 digits'),
  })
  .meta({ id: 'Mobile', description: 'A mobile phone number in its parts.' });

/** A password as it is given to log in: whatever somebody types is looked at, up to a length that can be one. */
export const LoginPassword = sensitive(z.string().max(1000, 'must not be longer than 1000 characters'), 'secret');

/** A password that is to be set. The rules for it name each one that it breaks; what they can't be held to goes no further. */
export const NewPassword = LoginPassword.refine(
  (value) => !surrogate.test(value),
  'must be well-formed Unicode',
).describe(
  '8 to 128 code points, taken as sent; none of the common ones; without user name, local part of the e-mail and name of the service, in any case',
);

/** RFC 6749, 3.3: a scope is made of printable ASCII without blank, quote and backslash. */
export const ScopeName = z
  .string()
  .max(100, 'must not be longer than 100 characters')
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be printable ASCII without blanks, quotes and backslashes');

export const CallerAddress = z
  .string()
  .optional()
  .describe('Address of the browser or device; of an authenticated client, limits and throttles count by it');
