import { parseTags } from '../../../../contract/schemas/contact.ts';
import { FactorId, FactorInput } from '../../../../contract/schemas/factor.ts';
import { replaceFactor, withContactOf } from '../../../mfa/factor-changes.ts';
import { requireChangeableFactor } from '../../../mfa/factors.ts';
import { revalidateUserCaller } from '../../../sessions/revalidate-caller.ts';
import { defineOperation } from '../../define.ts';

export default defineOperation({
  id: 'user-identities.factors.update',
  title: 'Update a contact of the caller',
  description:
    'Replaces an alternative contact of the calling user; omitted tags are cleared, and an omitted address or number of the same type stays. A changed contact is unverified again. Codes sent to the old contact are revoked, and a notice is sent to it. Main contacts cannot be changed here.',
  method: 'PUT',
  path: '/user-identities/me/authentication-factors/{id}',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-MFA and USER',
  needsWholeToken: true,
  audit: { kind: 'administration', targets: { path: ['id'] } },
  status: [204, 400, 401, 403, 404, 412, 422, 500],
  request: { params: { id: FactorId }, body: FactorInput },
  response: { status: 204 },
  errors: ['USER_MISSING', 'FACTOR_NOT_FOUND', 'MAIN_CONTACT', 'FACTOR_TAKEN', 'CONTACT_AMBIGUOUS', 'TAG_TAKEN'],
  command: 'factors update',
  cliExamples: [
    {
      title: 'Replace the e-mail address and clear the tags',
      command: 'FACTOR_ID --contact-type EMAIL --email alice@example.org',
    },
  ],

  async handle({ params, body }, context) {
    const { store, caller } = context;
    await store.transaction(async (tx) => {
      const { user } = await revalidateUserCaller(tx, caller, context.clock);
      const factor = await requireChangeableFactor(tx, user, params.id);
      const draft = { ...withContactOf(factor, body), tags: parseTags(body.tags) };
      await replaceFactor(tx, user, factor, { draft, setByAdministrator: false });
    });
  },
});
