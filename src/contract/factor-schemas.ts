/** Schemas of authentication factors: the contacts that second proofs go to. */
import * as z from 'zod';
import { defines, reference } from './entities.ts';
import { Email, Id, Mobile, NewId, singleLine } from './schemas.ts';
import { sensitive } from './sensitive.ts';

/** The most alternative contacts that one call adds; how many a user may have is another matter. */
const maxFactorsPerRequest = 100;
const maxTags = 20;
/** More than a list of as many tags of their full length takes. */
const maxTagTextLength = 4000;

/** The tag of the contacts that clients of the visibility of the same name are shown. */
export const markedTag = 'MARKED_RESOURCES';

export const ContactType = z.enum(['EMAIL', 'MOBILE']).describe('What kind of contact it is');

export const Tags = z
  .array(singleLine(50, 'A tag'))
  .max(maxTags, `must not have more than ${maxTags} entries`)
  .describe('Words that the user finds the contact by; one e-mail and one mobile at most carry MARKED_RESOURCES');

const TagsOrText = z
  .union([
    Tags,
    z
      .string()
      .max(maxTagTextLength, `must not be longer than ${maxTagTextLength} characters`)
      .refine((text) => Tags.safeParse(parseJson(text)).success, 'must hold a JSON array of tags'),
  ])
  .describe('Tags as an array, or as a string that holds a JSON array');

/** The tags that were given in either form, each once. */
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

const contactFields = {
  contactType: ContactType,
  email: Email.optional().meta({ 'x-only-for': { field: 'contactType', value: 'EMAIL' } }),
  mobile: Mobile.optional().meta({ 'x-only-for': { field: 'contactType', value: 'MOBILE' } }),
};

export const FactorInput = z
  .strictObject({ ...contactFields, tags: Tags.optional() })
  .meta({ id: 'FactorInput', description: 'An alternative contact: an e-mail address or a mobile number.' });

const AdministratorsFactorInput = z
  .strictObject({ id: NewId.optional().meta(defines('factor', 'id')), ...contactFields, tags: TagsOrText.optional() })
  .meta({ id: 'AdministratorsFactorInput', description: 'An alternative contact, with its id where one is wished.' });

function listOf<Entry extends z.ZodType>(entry: Entry) {
  return z
    .array(entry)
    .min(1, 'must not be empty')
    .max(maxFactorsPerRequest, `must not have more than ${maxFactorsPerRequest} entries`)
    .describe('All of them are added, or none');
}

export const FactorsInput = z.strictObject({ authenticationFactors: listOf(FactorInput) }).meta({ id: 'FactorsInput' });

export const AdministratorsFactorsInput = z
  .strictObject({ authenticationFactors: listOf(AdministratorsFactorInput) })
  .meta({ id: 'AdministratorsFactorsInput' });

export const FactorChange = z
  .strictObject({
    contactType: ContactType.optional(),
    email: Email.optional(),
    mobile: Mobile.optional(),
    tags: Tags.optional(),
  })
  .meta({ id: 'FactorChange', description: 'What is to change of an alternative contact.' });

export const FactorIds = z.array(
  z
    .strictObject({ id: z.string() })
    .meta({ id: 'FactorReference', description: 'An authentication factor by its id.' }),
);

export const FactorView = z
  .strictObject({
    id: z.string().describe('main-email, main-mobile, or the id of an alternative contact'),
    contactType: ContactType,
    email: z.string().optional().describe('Masked'),
    mobile: z
      .strictObject({
        regionCode: z.string(),
        areaCode: z.string().describe('Masked'),
        phoneNumber: z.string().describe('Masked'),
      })
      .meta({ id: 'MaskedMobile', description: 'A mobile phone number in its parts, masked.' })
      .optional(),
    tags: z.string().describe('A JSON array of tags'),
    credential: z.boolean().describe('Whether it is a main contact'),
    default: z.boolean().describe('Whether a second proof goes there where the caller names no factor'),
  })
  .meta({ id: 'AuthenticationFactor', description: 'A contact that second proofs can go to.' });

/** main-email, main-mobile, or the id of an alternative contact. */
export const FactorId = Id.meta({
  description: 'Factor id',
  'x-argument': 'factor-id',
  ...reference('factor', ['id']),
});

/** The same of another user, whom the parameter before names. */
export const FactorIdOfUser = FactorId.meta(
  reference('factor', ['id'], {
    control: '/_iam/users/{userId}/factors',
    command: 'users factors list',
    property: 'id',
  }),
);

/** A code as it is given: whatever somebody types is looked at, up to a length that can be one. */
export const OtpCode = sensitive(
  z
    .string()
    .max(100, 'must not be longer than 100 characters')
    .meta({ description: 'The code that was sent', 'x-label': 'Code that was sent' }),
  'secret',
);

export const ChallengeId = sensitive(z.string().max(200, 'must not be longer than 200 characters'), 'one-time');

/** Proves a device of the user on an operation that recovers an account, where there is no session. */
export const DeviceTokenId = sensitive(
  z
    .string()
    .max(1000, 'must not be longer than 1000 characters')
    .describe(
      'What associate-user-device gave for a device of the user: limits then count the device in place of the address',
    ),
  'one-time',
);
