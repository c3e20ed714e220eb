import { AdministratorsFactorsInput, FactorIds, parseTags } from '../../../../contract/factor-schemas.ts';
import { UserId } from '../../../../contract/reference-schemas.ts';
import { addFactors } from '../../../identity/factor-changes.ts';
import { assertMfaForAdministrator } from '../../../identity/object-access.ts';
import { requireUser } from '../../../identity/user-identities.ts';
import { defineOperation } from '../../define.ts';

export default defineOperation({
  id: 'user-identities.factors.admin-add',
  title: 'Add alternative contacts to use on MFA process (administrative variant)',
  description:
    'Adds contacts of a user: all of them, or none. They count as verified. Tags come as an array, or as a string that holds a JSON array. A user has at most 20, each contact once, the main ones included; one e-mail and one mobile at most carry the tag MARKED_RESOURCES.',
  method: 'POST',
  path: '/user-identities/{id}/authentication-factors',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: { kind: 'administration', targets: { path: ['id'] } },
  status: [201, 400, 401, 403, 404, 412, 422, 500],
  request: { params: { id: UserId }, body: AdministratorsFactorsInput },
  response: { status: 201, body: FactorIds },
  errors: ['USER_NOT_FOUND', 'MFA_MISSING', 'FACTOR_TAKEN', 'CONTACT_AMBIGUOUS', 'TOO_MANY_FACTORS', 'TAG_TAKEN'],
  command: 'users factors add',
  cliExamples: [
    { title: 'An e-mail', command: 'USER_ID --contact-type EMAIL --email alice@example.org --tag home' },
    { title: 'Several, as authenticationFactors in a file', command: 'USER_ID -f factors.yaml' },
  ],
  openapiExamples: {
    body: { authenticationFactors: [{ contactType: 'EMAIL', email: 'alice@example.net', tags: ['private'] }] },
  },

  async handle({ params, body }, { store, caller, ...context }) {
    const wished = body.authenticationFactors.map((factor) => ({ ...factor, tags: parseTags(factor.tags) }));
    return store.transaction(async (tx) => {
      const user = await requireUser(tx, params.id);
      await assertMfaForAdministrator(tx, user, caller);
      return addFactors(tx, user, wished, { verified: true }, context);
    });
  },
});
