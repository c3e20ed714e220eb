/** Logins with remember-me, and their credentials. */
import { expect } from 'vitest';
import { appClientId, type TestServer } from '../../../harness.ts';
import { alice, postJson } from './login-fixtures.ts';
import { associate, createTokens, type Tokens } from './session-fixtures.ts';

export const path = '/user-identities/remember-me';
export const identifiedPath = `${path}?clientId=${appClientId}`;

/** The credentials of a remember-me request. */
export interface RememberMeInput {
  readonly userName: string;
  readonly refreshToken: string;
  readonly deviceTokenId: string;
}

/** Logs in with remember-me; returns undefined if the request is rejected with the common error. */
export async function rememberMe(
  server: TestServer,
  input: object,
  target = identifiedPath,
): Promise<Tokens | undefined> {
  const response = await postJson(server, target, input);
  if (response.status === 201) return response.json as Tokens;
  expect(response).toMatchObject({
    status: 401,
    text: '[{"code":"CREDENTIALS_INVALID","message":"The credentials are not valid."}]',
    headers: { 'www-authenticate': 'Basic realm="iam", charset="UTF-8"' },
  });
  return undefined;
}

/** Alice, with a session that is bound to her phone. */
export async function createPhoneSession(
  server: TestServer,
  start: Parameters<typeof createTokens>[1] = {},
): Promise<Tokens & RememberMeInput> {
  const token = await createTokens(server, start);
  return { ...token, userName: alice.userName, deviceTokenId: await associate(server, token) };
}

/** Returns the remember-me credentials of a session. */
export const toRememberMeInput = ({ userName, refreshToken, deviceTokenId }: RememberMeInput): RememberMeInput => ({
  userName,
  refreshToken,
  deviceTokenId,
});
