/** Schemas of authentication factors: the contacts that receive MFA codes. */
import * as z from 'zod';
import { definition, reference } from '../entities.ts';
import { ContactType, Email, Mobile, Tags, TagsOrText } from './contact.ts';
import { exampleText, Id, NewId, optionalText } from './primitives.ts';

/** Maximum number of alternative contacts in one request. The limit per user is separate. */
const maxFactorsPerRequest = 100;

const contactFields = {
  contactType: ContactType,
  email: Email.optional().meta({ 'x-only-for': { field: 'contactType', value: 'EMAIL' } }),
  mobile: Mobile.optional().meta({ 'x-only-for': { field: 'contactType', value: 'MOBILE' } }),
};

/** A contact has an address or a number, not both. */
const exampleContact = { contactType: 'EMAIL', email: 'alice@example.net', tags: ['private'] };

export const FactorInput = z.strictObject({ ...contactFields, tags: Tags.optional() }).meta({
  id: 'FactorInput',
  description: 'An alternative contact: an e-mail address or a mobile number.',
  examples: [exampleContact],
});

const AdministratorsFactorInput = z
  .strictObject({
    id: NewId.optional().meta(definition('factor', 'id')),
    ...contactFields,
    tags: TagsOrText.optional(),
  })
  .meta({
    id: 'AdministratorsFactorInput',
    description: 'An alternative contact, optionally with its id.',
    examples: [exampleContact],
  });

function listOf<Entry extends z.ZodType>(entry: Entry) {
  return z
    .array(entry)
    .min(1, 'must not be empty')
    .max(maxFactorsPerRequest, `must not have more than ${maxFactorsPerRequest} entries`)
    .describe('Contacts to add; if one is rejected, none is added');
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
  .meta({ id: 'FactorChange', description: 'Changes to an alternative contact.', examples: [exampleContact] });

export const FactorIds = z.array(
  z
    .strictObject({ id: exampleText('64b0c0ffee00000000000006') })
    .meta({ id: 'FactorReference', description: 'An authentication factor by its id.' }),
);

export const FactorView = z
  .strictObject({
    id: exampleText('64b0c0ffee00000000000006', 'main-email, main-mobile, or the id of an alternative contact'),
    contactType: ContactType,
    email: optionalText('a***@example.com', 'Masked'),
    mobile: z
      .strictObject({
        regionCode: exampleText('55'),
        areaCode: exampleText('***', 'Masked'),
        phoneNumber: exampleText('*****4321', 'Masked'),
      })
      .meta({ id: 'MaskedMobile', description: 'A mobile phone number in its parts, masked.' })
      .optional(),
    tags: exampleText('["private"]', 'A JSON array of tags'),
    credential: z.boolean().describe('Whether it is a main contact'),
    default: z.boolean().describe('Whether MFA codes are sent to it by default'),
  })
  .meta({ id: 'AuthenticationFactor', description: 'A contact that can receive MFA codes.' });

/** The contact in responses of the control plane: with its tags as a list. */
export const FactorDetail = FactorView.extend({ tags: Tags, verified: z.boolean() });

/** main-email, main-mobile, or the id of an alternative contact. */
export const FactorId = Id.meta({
  description: 'Factor id',
  'x-argument': 'factor-id',
  ...reference('factor', ['id']),
  examples: ['64b0c0ffee00000000000006'],
});

/** The factor id of the user in the preceding parameter. */
export const FactorIdOfUser = FactorId.meta(
  reference('factor', ['id'], {
    control: '/_iam/users/{userId}/factors',
    command: 'users factors list',
    property: 'id',
  }),
);
