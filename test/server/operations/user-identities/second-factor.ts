/** The steps of MFA, for the tests of each step. */
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

/** Requests a code and returns it. */
export async function requestChallenge(
  server: TestServer,
  as: IamClient,
  factorId = 'main-email',
  to = mainEmail,
): Promise<FactorResponse> {
  const { challengeId } = await as.userIdentities.leverageMfa({ body: { factorId } });
  return { challengeId, token: await lastCode(server, to) };
}

/** Renews a session over HTTP. */
export async function renew(server: TestServer, refreshToken: string | undefined, scope?: string[]) {
  const response = await postJson(server, '/generate-token', {
    grantType: 'refresh_token',
    clientId: appClientId,
    refreshToken,
    scope,
  });
  return response as { status: number; json: { accessToken: string; refreshToken: string } };
}

/** A request that requires AUTH-MFA. */
export const addFactor = (as: IamClient) =>
  as.userIdentities.factors.add({
    body: { authenticationFactors: [{ contactType: 'EMAIL', email: 'added@example.com' }] },
  });
