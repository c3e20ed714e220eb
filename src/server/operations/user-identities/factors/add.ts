import { parseTags } from '../../../../contract/schemas/contact.ts';
import { FactorIds, FactorsInput } from '../../../../contract/schemas/factor.ts';
import { addFactors } from '../../../mfa/factor-changes.ts';
import { revalidateUserCaller } from '../../../sessions/revalidate-caller.ts';
import { defineOperation } from '../../define.ts';

export default defineOperation({
  id: 'user-identities.factors.add',
  title: 'Add contacts of the caller for MFA',
  description:
    'Adds contacts of the calling user. If one contact is rejected, none is added. New contacts are unverified and receive only the code that verifies them. A user can have at most 20 contacts, each only once, including the main contacts. At most one e-mail address and one mobile number can have the tag MARKED_RESOURCES.',
  method: 'POST',
  path: '/user-identities/me/authentication-factors',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and USER',
  needsWholeToken: true,
  audit: { kind: 'administration', targets: {} },
  status: [201, 400, 401, 403, 412, 422, 500],
  request: { body: FactorsInput },
  response: { status: 201, body: FactorIds },
  errors: ['USER_MISSING', 'FACTOR_TAKEN', 'CONTACT_AMBIGUOUS', 'TOO_MANY_FACTORS', 'TAG_TAKEN'],
  command: 'factors add',
  cliExamples: [
    { title: 'An e-mail address', command: '--contact-type EMAIL --email alice@example.org --tag home' },
    { title: 'Several contacts, as authenticationFactors in a file', command: '-f factors.yaml' },
  ],

  async handle({ body }, context) {
    const { store, caller } = context;
    const drafts = body.authenticationFactors.map((factor) => ({ ...factor, tags: parseTags(factor.tags) }));
    return store.transaction(async (tx) => {
      const { user } = await revalidateUserCaller(tx, caller, context.clock);
      return addFactors(tx, user, drafts, { verified: false }, context);
    });
  },
});
