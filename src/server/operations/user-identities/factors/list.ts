import * as z from 'zod';
import { FactorView } from '../../../../contract/schemas/factor.ts';
import { requireUserCaller } from '../../../directory/principal.ts';
import { listVisibleFactorViews } from '../../../mfa/factor-views.ts';
import { defineOperation } from '../../define.ts';

export default defineOperation({
  id: 'user-identities.factors.list',
  title: 'List the contacts of the caller',
  description:
    'Returns the contacts of the calling user, masked. The factorVisibility of the calling client limits the list: CREDENTIALS_ONLY returns the main contacts, MARKED_RESOURCES the alternative contacts with that tag, and UNRESTRICTED all contacts.',
  method: 'GET',
  path: '/user-identities/me/authentication-factors',
  auth: 'caller',
  roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and USER',
  audit: { kind: 'read', targets: {} },
  status: [200, 401, 403, 500],
  request: {},
  response: { status: 200, body: z.array(FactorView) },
  errors: ['USER_MISSING'],
  command: 'factors list',
  cliExamples: [{ title: 'List your contacts', command: '' }],

  async handle(_, { store, caller }) {
    return listVisibleFactorViews(store, requireUserCaller(caller).user, caller.client);
  },
});
