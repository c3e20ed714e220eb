/**
 * Schemas that do not belong to one entity. The ids of schemas are component names in the OpenAPI document. To use a schema
 * with another description: `UserId.describe(...)`.
 */
import * as z from 'zod';

/** The format of ids that a caller can choose (interface rules). */
export const Id = z
  .string()
  .regex(/^[A-Za-z0-9._:@-]{1,64}$/, 'must be 1 to 64 letters, digits or . _ : @ -')
  .describe('Id: 1 to 64 letters, digits or . _ : @ -');

/** Control characters and line separators, which could corrupt terminals and logs: part of a character class. */
export const controlCharacters = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
const controlCharacter = new RegExp(`[${controlCharacters}]`);

/** A lone surrogate: allowed in JSON, but not encodable in UTF-8. */
export const surrogate = /\p{Surrogate}/u;

type TextCheck = (payload: z.core.ParsePayload<string>) => void;

/** Like `refine`, which builds two schemas: there are hundreds of texts, and the server builds them all at its start. */
function checkText(isValid: (text: string) => boolean, message: string): TextCheck {
  return ({ value, issues }) => {
    if (!isValid(value)) issues.push({ code: 'custom', message, input: value, continue: true });
  };
}

/** A string with a maximum length in code points, as JSON Schema counts; `max` counts UTF-16 code units. */
export function boundedText(maxLength: number, description?: string, ...checks: TextCheck[]) {
  return z
    .string()
    .check(
      z.minLength(1, 'must not be empty'),
      checkText(
        (text) => text.length <= maxLength || (text.length <= 2 * maxLength && [...text].length <= maxLength),
        `must not be longer than ${maxLength} characters`,
      ),
      ...checks,
    )
    .register(z.globalRegistry, { maxLength, ...(description === undefined ? {} : { description }) });
}

const withoutControlCharacters = checkText(
  (text) => !controlCharacter.test(text),
  'must not contain control characters',
);
const wellFormed = checkText((text) => !surrogate.test(text), 'must be well-formed Unicode');

/** A string without line breaks and other control characters. */
export function singleLine(maxLength: number, description: string) {
  return boundedText(maxLength, description, withoutControlCharacters, wellFormed);
}

/** A text of a response, with the example that the API document shows. */
export function exampleText(example: string, description?: string) {
  return z.string().meta(withExample(example, description));
}

export function optionalText(example: string, description?: string) {
  return z.string().optional().meta(withExample(example, description));
}

export function exampleInt(example: number, description?: string) {
  return z.int().meta(withExample(example, description));
}

export function optionalInt(example: number, description?: string) {
  return z.int().optional().meta(withExample(example, description));
}

function withExample(example: string | number, description: string | undefined) {
  return { ...(description === undefined ? {} : { description }), examples: [example] };
}

/** A text with a maximum length in UTF-16 code units. */
export function textUpTo(maxLength: number) {
  return z.string().max(maxLength, `must not be longer than ${maxLength} characters`);
}

export function nonEmptyText(maxLength: number) {
  return z.string().min(1, 'must not be empty').max(maxLength, `must not be longer than ${maxLength} characters`);
}

/** Seconds as a string of digits, as the interface writes lifetimes. */
export function lifetimeText(description: string, exampleSeconds: number) {
  return z
    .string()
    .regex(/^\d+$/)
    .meta({ description, examples: [String(exampleSeconds)] });
}

export function listUpTo<Entry extends z.ZodType>(maxEntries: number, entry: Entry) {
  return z.array(entry).max(maxEntries, `must not have more than ${maxEntries} entries`);
}

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

/** Words for callers that have no id, in logs and in the audit log. */
const reservedIds: ReadonlySet<string> = new Set(['anonymous', 'unknown']);

/** The form of generated ids. */
export const generatedIdForm = /^[0-9a-fA-F]{24}$/;

/** An id that a caller chooses for a new object. In a request body it is marked with `definition`. */
export const NewId = Id.refine((value) => !isReservedName(value) && !reservedIds.has(value), 'is a reserved word');

export const Empty = z.strictObject({}).meta({ id: 'Empty', description: 'An empty object.' });

export const PageQuery = {
  limit: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(1000, 'must be at most 1000')
    .optional()
    .meta({ description: 'Entries per page, 1 to 1000 (default: 100)', examples: [100] }),
  after: z
    .string()
    .max(512, 'is too long')
    .optional()
    .meta({ description: 'Cursor from the Link header of the previous page', examples: ['64b0c0ffee00000000000001'] }),
};

/** Maximum number of members in one request. */
const maxMembers = 10_000;

/** The members of a group or of a corporate group in one request. */
export function memberList<Entry extends z.ZodType>(entry: Entry) {
  return listUpTo(maxMembers, entry);
}
