import { parseTags } from '../../../../contract/schemas/contact.ts';
import { AdministratorsFactorsInput, FactorIds } from '../../../../contract/schemas/factor.ts';
import { UserId } from '../../../../contract/schemas/user.ts';
import { assertMfaForAdministrator } from '../../../directory/object-access.ts';
import { addFactors } from '../../../mfa/factor-changes.ts';
import { requireUser } from '../../../users/users.ts';
import { defineOperation } from '../../define.ts';

export default defineOperation({
  id: 'user-identities.factors.admin-add',
  title: 'Add contacts of a user for MFA',
  description:
    'Adds contacts of a user. If one contact is rejected, none is added. The contacts are verified. Tags are an array, or a string that contains a JSON array. A user can have at most 20 contacts, each only once, including the main contacts. At most one e-mail address and one mobile number can have the tag MARKED_RESOURCES.',
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
    { title: 'An e-mail address', command: 'alice --contact-type EMAIL --email alice@example.org --tag home' },
    { title: 'Several contacts, as authenticationFactors in a file', command: 'alice -f factors.yaml' },
  ],

  async handle({ params, body }, context) {
    const { store, caller } = context;
    const drafts = body.authenticationFactors.map((factor) => ({ ...factor, tags: parseTags(factor.tags) }));
    return store.transaction(async (tx) => {
      const user = await requireUser(tx, params.id);
      await assertMfaForAdministrator(tx, user, caller);
      return addFactors(tx, user, drafts, { verified: true }, context);
    });
  },
});
