import { FactorIds, FactorsInput, parseTags } from '../../../../contract/factor-schemas.ts';
import { addFactors } from '../../../identity/factor-changes.ts';
import { revalidateUserCaller } from '../../../identity/revalidate-caller.ts';
import { defineOperation } from '../../define.ts';

export default defineOperation({
  id: 'user-identities.factors.add',
  title: 'Add alternative contacts to use on MFA process',
  description:
    'Adds contacts of the calling user: all of them, or none. A new one is not verified: it receives codes only to verify itself. A user has at most 20, each contact once, the main ones included; one e-mail and one mobile at most carry the tag MARKED_RESOURCES.',
  method: 'POST',
  path: '/user-identities/me/authentication-factors',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and USER',
  audit: { kind: 'administration', targets: {} },
  status: [201, 400, 401, 403, 412, 422, 500],
  request: { body: FactorsInput },
  response: { status: 201, body: FactorIds },
  errors: ['USER_MISSING', 'FACTOR_TAKEN', 'CONTACT_AMBIGUOUS', 'TOO_MANY_FACTORS', 'TAG_TAKEN'],
  command: 'factors add',
  cliExamples: [
    { title: 'An e-mail', command: '--contact-type EMAIL --email alice@example.org --tag home' },
    { title: 'Several, as authenticationFactors in a file', command: '-f factors.yaml' },
  ],
  openapiExamples: {
    body: { authenticationFactors: [{ contactType: 'EMAIL', email: 'alice@example.net', tags: ['private'] }] },
  },

  async handle({ body }, { store, caller, ...context }) {
    const wished = body.authenticationFactors.map((factor) => ({ ...factor, tags: parseTags(factor.tags) }));
    return store.transaction(async (tx) => {
      const { user } = await revalidateUserCaller(tx, caller, context.clock);
      return addFactors(tx, user, wished, { verified: false }, context);
    });
  },
});
