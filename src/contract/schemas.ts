/** Schemas that several operations share. Their ids are component names in the OpenAPI document. */
import * as z from 'zod';
import { definition, reference } from './entities.ts';
import { sensitive } from './sensitive.ts';

/** The format of ids that a caller can choose (interface rules). */
export const Id = z
  .string()
  .regex(/^[A-Za-z0-9._:@-]{1,64}$/, 'must be 1 to 64 letters, digits or . _ : @ -')
  .describe('Id: 1 to 64 letters, digits or . _ : @ -');

/** Control characters and line separators, which could corrupt terminals and logs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
const controlCharacter = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** A lone surrogate: allowed in JSON, but not encodable in UTF-8. */
const surrogate = /\p{Surrogate}/u;

/** A string with a maximum length in code points, as JSON Schema counts; `max` counts UTF-16 code units. */
function boundedText(maxLength: number, description?: string) {
  return z
    .string()
    .min(1, 'must not be empty')
    .refine(
      (text) => text.length <= maxLength || (text.length <= 2 * maxLength && [...text].length <= maxLength),
      `must not be longer than ${maxLength} characters`,
    )
    .meta({ maxLength, ...(description === undefined ? {} : { description }) });
}

/** A string without line breaks and other control characters. */
export function singleLine(maxLength: number, description: string) {
  return boundedText(maxLength, description)
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
  .meta(definition('group', 'name'));

/** Path segments that names must not use. URL parsers remove `.` and `..`. */
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

/** An id that a caller chooses for a new object. */
export const NewId = Id.refine((value) => !isReservedName(value), 'is a reserved word');

/** Path parameter: the id or the name of a group. */
export const GroupReference = singleLine(100, 'Id or name of the group').meta({
  'x-argument': 'group',
  'x-label': 'Id or name of the group',
  ...reference('group', ['name', 'id']),
});

export const RoleName = z
  .string()
  .max(100, 'must not be longer than 100 characters')
  // Allows the prefix ROLE_ only once, so that removing it yields a valid role name.
  .regex(/^(ROLE_)?(?!ROLE_)[A-Z][A-Z0-9_-]*$/, 'must be upper-case letters, digits, _ and -, starting with a letter')
  .meta({ description: 'Name of a role, with or without the prefix ROLE_', ...reference('role', ['name']) });

export const Empty = z.strictObject({}).meta({ id: 'Empty', description: 'An empty object.' });

export const Token = z
  .strictObject({
    accessToken: sensitive(z.string().describe('JWT (RFC 9068)'), 'secret'),
    tokenType: z.literal('Bearer'),
    refreshToken: sensitive(z.string(), 'secret')
      .optional()
      .describe('Opaque refresh token; absent if the session has none'),
    expiresIn: z.string().regex(/^\d+$/).describe('Remaining lifetime in seconds, as a string of digits'),
    scope: z.array(z.string()),
  })
  .meta({ id: 'Token', description: 'Token response.' });

export const Dependency = z
  .strictObject({
    groupName: boundedText(100).meta(reference('group', ['name', 'id'])),
  })
  .meta({ id: 'Dependency', description: 'A group whose roles are inherited, by name or id.' });

export const GroupSchema = z
  .strictObject({
    groupId: z.string(),
    groupName: z.string(),
    organizationId: z.string().optional(),
    businessUnitId: z.string().optional(),
    roles: z.array(z.string()),
    dependencies: z.array(Dependency),
  })
  .meta({ id: 'Group', description: 'A group with its direct roles and its dependencies.' });

/** The body of create and update of a group. */
export const GroupInput = z
  .strictObject({
    groupName: GroupName,
    organizationId: singleLine(64, 'Organization the group belongs to').optional(),
    businessUnitId: singleLine(64, 'Business unit the group belongs to').optional(),
    roles: z
      .array(RoleName)
      .max(1000, 'must not have more than 1000 entries')
      .optional()
      .describe('Roles of the members'),
    dependencies: z
      .array(Dependency)
      .max(1000, 'must not have more than 1000 entries')
      .optional()
      .describe('Groups whose roles the members inherit'),
  })
  .meta({ id: 'GroupInput' });

export const ApiKeySchema = z
  .strictObject({
    apiKeyId: z.string(),
    appId: z.string(),
    clientId: z.string(),
    hint: z.string().describe('The last four characters of the key'),
    createdAt: z.string().describe('ISO 8601, UTC'),
    lastUsedAt: z.string().optional().describe('ISO 8601, UTC; updated periodically, not on every use'),
  })
  .meta({ id: 'ApiKey', description: 'An API key without the key itself.' });

export const PageQuery = {
  limit: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(1000, 'must be at most 1000')
    .optional()
    .describe('Entries per page, 1 to 1000 (default: 100)'),
  after: z.string().max(512, 'is too long').optional().describe('Cursor from the Link header of the previous page'),
};

/** A login name of a user. Uniqueness is checked in the handlers. */
export const UserName = singleLine(100, 'Name that the user logs in with')
  .refine((value) => !isReservedName(value), 'is a reserved word')
  .meta(definition('user', 'name'));

export const Email = z
  .email('must be an e-mail address')
  .max(254, 'must not be longer than 254 characters')
  .meta({ description: 'E-mail address (RFC 5321)', 'x-label': 'E-mail address' });

const boundedInteger = (min: number, max: number, description: string) =>
  z
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`)
    .describe(description);

export const Mobile = z
  .strictObject({
    regionCode: boundedInteger(1, 999, '1 to 3 digits'),
    areaCode: boundedInteger(1, 9999, '1 to 4 digits'),
    phoneNumber: boundedInteger(1000, 999_999_999_999, '4 to 12 digits'),
  })
  .meta({ id: 'Mobile', description: 'A mobile phone number in its parts.' });

/** A password for a login. Any text up to the maximum length is accepted and verified. */
export const LoginPassword = sensitive(z.string().max(1000, 'must not be longer than 1000 characters'), 'secret');

/** A new password. The password policy reports each violated rule; text that is not well-formed Unicode is rejected here. */
export const NewPassword = LoginPassword.refine(
  (value) => !surrogate.test(value),
  'must be well-formed Unicode',
).describe(
  '8 to 128 code points, used as sent; not a common password; must not contain the user name, the local part of the e-mail address or the name of the service (case-insensitive)',
);

/** RFC 6749, 3.3: printable ASCII without space, quote and backslash. */
export const ScopeName = z
  .string()
  .max(100, 'must not be longer than 100 characters')
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be printable ASCII without spaces, quotes and backslashes');

export const CallerAddress = z
  .string()
  .optional()
  .describe('Address of the browser or device; limits and throttles use it if the client is authenticated');
