import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { ClientId } from '../../../contract/schemas/client.ts';
import { Email, Mobile } from '../../../contract/schemas/contact.ts';
import { OtpLifetime } from '../../../contract/schemas/otp.ts';
import { exampleText } from '../../../contract/schemas/primitives.ts';
import { sendSignUpCode } from '../../auth/sign-up.ts';
import { maskContact, selectContact } from '../../messaging/contacts.ts';
import { defineOperation } from '../define.ts';

const CodeDelivery = z
  .strictObject({
    contactType: z.enum(['EMAIL', 'MOBILE']),
    contact: exampleText('a***@example.com', 'Masked'),
    expiresIn: OtpLifetime,
  })
  .meta({ id: 'Identification', description: 'Recipient and lifetime of the code.' });

export default defineOperation({
  id: 'user-identities.identification',
  title: 'Send a code to verify a contact before sign-up',
  description:
    'Sends a code to one contact, an e-mail address or a mobile number. The code verifies the contact when the user is created. It replaces the previous code that the same source requested. Per hour, one contact receives at most five codes for one source and 20 in total, besides those of recoveries. The response is the same whether or not a user has the contact.',
  method: 'POST',
  path: '/user-identities/identification',
  auth: 'client-id',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
  audit: { kind: 'authentication', targets: {} },
  status: [201, 400, 401, 422, 429, 500],
  request: {
    query: { clientId: ClientId.optional().describe('Id of the calling client, if no header contains it') },
    body: z
      .strictObject({ userEmail: Email.optional(), userMobile: Mobile.optional() })
      .meta({ id: 'IdentificationInput', description: 'Exactly one contact.' }),
  },
  response: { status: 201, body: CodeDelivery },
  identifies: ['userEmail', 'userMobile'],
  errors: ['CONTACT_AMBIGUOUS', 'TOO_MANY_CODES'],
  openapiExamples: { body: { userEmail: 'alice@example.com' } },

  async handle({ body }, context) {
    const contact = selectContact(body);
    if (!contact) throw apiError('CONTACT_AMBIGUOUS');
    const { expiresIn } = await sendSignUpCode(context, contact);
    const contactType = contact.channel === 'email' ? ('EMAIL' as const) : ('MOBILE' as const);
    return { contactType, contact: maskContact(contact), expiresIn };
  },
});
