import { FactorChange, FactorIdOfUser } from '../../../../contract/schemas/factor.ts';
import { UserId } from '../../../../contract/schemas/user.ts';
import { assertMfaForAdministrator } from '../../../directory/object-access.ts';
import { replaceFactor, withContactOf } from '../../../mfa/factor-changes.ts';
import { requireChangeableFactor, toUpdatableFactor } from '../../../mfa/factors.ts';
import { requireUser } from '../../../users/users.ts';
import { defineOperation } from '../../define.ts';

export default defineOperation({
  id: 'user-identities.factors.admin-update',
  title: 'Update a contact of a user',
  description:
    'Changes the fields that are sent. A new contact is verified; codes sent to the old contact are revoked, and a notice is sent to it. Changing contactType also replaces the contact. Main contacts cannot be changed here.',
  method: 'PATCH',
  path: '/user-identities/{id}/authentication-factors/{factorId}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and IAM_ADMIN_MAINTENANCE',
  audit: { kind: 'administration', targets: { path: ['id', 'factorId'] } },
  status: [204, 400, 401, 403, 404, 412, 422, 500],
  request: { params: { id: UserId, factorId: FactorIdOfUser }, body: FactorChange },
  response: { status: 204 },
  errors: [
    'USER_NOT_FOUND',
    'MFA_MISSING',
    'FACTOR_NOT_FOUND',
    'CHANGED_MEANWHILE',
    'MAIN_CONTACT',
    'FACTOR_TAKEN',
    'CONTACT_AMBIGUOUS',
    'TAG_TAKEN',
  ],
  command: 'users factors update',
  cliExamples: [{ title: 'Add a tag', command: 'alice FACTOR_ID --add-tag MARKED_RESOURCES' }],

  async handle({ params, body }, context) {
    const { store, caller } = context;
    const setByAdministrator = body.email !== undefined || body.mobile !== undefined;
    await store.transaction(async (tx) => {
      const user = await requireUser(tx, params.id);
      await assertMfaForAdministrator(tx, user, caller);
      const factor = await requireChangeableFactor(tx, user, params.factorId);
      context.assertStoredMatch(toUpdatableFactor(factor));
      const { contactType = factor.contactType, tags = factor.tags } = body;
      const draft = { ...withContactOf(factor, { ...body, contactType }), tags };
      await replaceFactor(tx, user, factor, { draft, setByAdministrator });
    });
  },
});
