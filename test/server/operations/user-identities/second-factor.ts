/** The steps of a second proof, for the tests of each and of what lies between them. */
import type { IamClient } from '../../../../src/client/index.ts';
import { appClientId, type TestServer } from '../../../harness.ts';
import { lastCode } from '../otp-inbox.ts';
import { mainEmail } from './factors/factor-fixtures.ts';
import { postJson } from './login-fixtures.ts';

export interface FactorResponse {
  readonly challengeId: string;
  readonly token: string;
}

export const fulfill = (as: IamClient, { challengeId, token }: FactorResponse) =>
  as.userIdentities.fulfillMfa({ body: { challengeId, token } });

/** Asks for a code and reads it. */
export async function requestChallenge(
  server: TestServer,
  as: IamClient,
  factorId = 'main-email',
  to = mainEmail,
): Promise<FactorResponse> {
  const { challengeId } = await as.userIdentities.leverageMfa({ body: { factorId } });
  return { challengeId, token: await lastCode(server, to) };
}

/** Renews a session by hand. */
export async function renew(server: TestServer, refreshToken: string | undefined, scope?: string[]) {
  const answer = await postJson(server, '/generate-token', {
    grantType: 'refresh_token',
    clientId: appClientId,
    refreshToken,
    scope,
  });
  return answer as { status: number; json: { accessToken: string; refreshToken: string } };
}

/** Something that only AUTH-MFA opens. */
export const addFactor = (as: IamClient) =>
  as.userIdentities.factors.add({
    body: { authenticationFactors: [{ contactType: 'EMAIL', email: 'added@example.com' }] },
  });
