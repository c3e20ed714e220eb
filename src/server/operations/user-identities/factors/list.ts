import * as z from 'zod';
import { FactorView } from '../../../../contract/factor-schemas.ts';
import { listVisibleFactorViews } from '../../../identity/factor-views.ts';
import { requireUserCaller } from '../../../identity/principal.ts';
import { defineOperation } from '../../define.ts';

export default defineOperation({
  id: 'user-identities.factors.list',
  title: 'Retrieve all user authentication factors',
  description:
    'The contacts of the calling user, masked, as far as the calling client is shown them. By its factorVisibility that is: CREDENTIALS_ONLY the main contacts, MARKED_RESOURCES the alternative ones with that tag, UNRESTRICTED all.',
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
  cliExamples: [{ title: "The caller's own", command: '' }],

  async handle(_, { store, caller }) {
    return listVisibleFactorViews(store, requireUserCaller(caller).user, caller.client);
  },
});
