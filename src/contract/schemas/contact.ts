/** Schemas of the contacts of users and of their tags. */
import * as z from 'zod';
import {
  describeDomainProblem,
  describeEmailProblem,
  maxEmailOctets,
  normalizeDomain,
  normalizeEmail,
} from '../email/email-address.ts';
import { listUpTo, singleLine } from './primitives.ts';

/** In UTF-16 code units, before normalization. */
const longestSpelling = 1000;

/** The value is as `normalizeEmail` returns it. */
export const Email = z
  .string()
  .max(longestSpelling, `must not be longer than ${longestSpelling} characters`)
  .check(z.overwrite(normalizeEmail), ({ value, issues }) => {
    const message = describeEmailProblem(value);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  })
  .meta({
    format: 'idn-email',
    maxLength: maxEmailOctets,
    description: 'E-mail address (RFC 5321, RFC 6531); the domain is stored as A-labels',
    examples: ['alice@example.com'],
    'x-label': 'E-mail address',
  });

/** A domain of addresses, as `normalizeDomain` returns it. */
export const EmailDomain = z
  .string()
  .max(longestSpelling, `must not be longer than ${longestSpelling} characters`)
  .check(z.overwrite(normalizeDomain), ({ value, issues }) => {
    const message = describeDomainProblem(value);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  })
  .meta({ format: 'idn-hostname', description: 'Domain of e-mail addresses', examples: ['example.com'] });

const boundedInteger = (min: number, max: number, description: string, example: number) =>
  z
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`)
    .meta({ description, examples: [example] });

export const Mobile = z
  .strictObject({
    regionCode: boundedInteger(1, 999, '1 to 3 digits', 55),
    areaCode: boundedInteger(1, 9999, '1 to 4 digits', 11),
    phoneNumber: boundedInteger(1000, 999_999_999_999, '4 to 12 digits', 987_654_321),
  })
  .meta({ id: 'Mobile', description: 'A mobile phone number in its parts.' });

export const ContactType = z.enum(['EMAIL', 'MOBILE']).describe('Type of the contact');

const maxTags = 20;

/** Longer than the JSON text of `maxTags` tags of maximum length. */
const maxTagTextLength = 4000;

/** The tag of contacts that are visible to clients with the factorVisibility of the same name. */
export const markedTag = 'MARKED_RESOURCES';

export const Tags = listUpTo(maxTags, singleLine(50, 'A tag').meta({ examples: ['private'] })).describe(
  'Labels of the contact; at most one e-mail address and one mobile number can have MARKED_RESOURCES',
);

export const TagsOrText = z
  .union([
    Tags,
    z
      .string()
      .max(maxTagTextLength, `must not be longer than ${maxTagTextLength} characters`)
      .refine((text) => Tags.safeParse(parseJson(text)).success, 'must contain a JSON array of tags'),
  ])
  .describe('Tags as an array, or as a string that contains a JSON array');

/** Returns the tags of either form without duplicates. */
export function parseTags(tags: z.output<typeof TagsOrText> | undefined): string[] {
  return [...new Set(typeof tags === 'string' ? Tags.parse(parseJson(tags)) : tags)];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
