/** For each operation of a user in a session that no other list sends: prepares what it needs, and returns an accepted call. */
import type { IamClient } from '../../../src/client/index.ts';
import type { OperationId } from '../../../src/server/operations/index.ts';
import { appClientId, type TestServer } from '../../harness.ts';
import { lastCode } from '../../server/operations/otp-inbox.ts';
import { mainEmail, workEmail } from '../../server/operations/user-identities/factors/factor-fixtures.ts';
import { password } from '../../server/operations/user-identities/login-fixtures.ts';
import { mobiles } from '../../server/operations/user-identities/logon-fixtures.ts';
import { addFactor, fulfill, requestChallenge } from '../../server/operations/user-identities/second-factor.ts';

type Call = () => Promise<unknown>;
/** Of Bob, whose session has a second factor. */
type Prepare = (as: IamClient, server: TestServer) => Call | Promise<Call>;

const work = { id: 'work' };

async function readFactorCode({ userIdentities }: IamClient, server: TestServer): Promise<string> {
  await userIdentities.factors.sendToken({ params: work });
  return lastCode(server, workEmail);
}

/** Without the operations that write nothing. */
export const sessionRequests: Partial<Record<OperationId, Prepare>> = {
  'user-identities.associate-device': (as) => () => as.userIdentities.associateDevice({ body: { deviceId: 'phone' } }),
  'user-identities.associate-legacy-by-email': (as) => () =>
    as.userIdentities.associateLegacyByEmail({ body: { logon: 'MAIL1' } }),
  'user-identities.associate-legacy-by-mobile': (as) => () =>
    as.userIdentities.associateLegacyByMobile({ body: { logon: 'FREE1' } }),
  'user-identities.complete-associate-legacy': async (as, server) => {
    const { challengeId } = await as.userIdentities.associateLegacyByMobile({ body: { logon: 'FREE1' } });
    const token = await lastCode(server, mobiles.FREE1);
    return () => as.userIdentities.completeAssociateLegacy({ body: { challengeId, token } });
  },
  'user-identities.change-app': (as) => () =>
    as.userIdentities.changeApp({ query: { targetClientId: appClientId }, body: {} }),
  'user-identities.change-password': (as) => () =>
    as.userIdentities.changePassword({ body: { password, newPassword: 'another pass phrase' } }),
  'user-identities.factors.add': (as) => () => addFactor(as),
  'user-identities.factors.remove': (as) => () => as.userIdentities.factors.remove({ params: work }),
  'user-identities.factors.update': (as) => () =>
    as.userIdentities.factors.update({ params: work, body: { contactType: 'EMAIL', email: 'moved@example.com' } }),
  'user-identities.factors.send-token': (as) => () => as.userIdentities.factors.sendToken({ params: work }),
  'user-identities.factors.validate-token': async (as, server) => {
    const token = await readFactorCode(as, server);
    return () => as.userIdentities.factors.validateToken({ params: work, body: { token } });
  },
  'user-identities.leverage-mfa': (as) => () => as.userIdentities.leverageMfa({ body: {} }),
  'user-identities.fulfill-mfa': async (as, server) => {
    const challenge = await requestChallenge(server, as, 'main-email', mainEmail);
    return () => fulfill(as, challenge);
  },
  'user-identities.generate-param': (as) => () => as.userIdentities.generateParam({ body: {} }),
  'user-identities.grant-auth-smart': async (as, server) => {
    const token = await readFactorCode(as, server);
    const { challengeId } = await as.userIdentities.factors.validateToken({ params: work, body: { token } });
    return () => as.userIdentities.grantAuthSmart({ body: { challengeId } });
  },
};
