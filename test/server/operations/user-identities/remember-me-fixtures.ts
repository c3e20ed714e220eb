/** Logins by what an earlier one left, and what is shown for them. */
import { expect } from 'vitest';
import { appClientId, type TestServer } from '../../../harness.ts';
import { alice, postJson } from './login-fixtures.ts';
import { associate, createTokens, type Tokens } from './session-fixtures.ts';

export const path = '/user-identities/remember-me';
export const identifiedPath = `${path}?clientId=${appClientId}`;

/** What remember-me takes. */
export interface RememberMeInput {
  readonly userName: string;
  readonly refreshToken: string;
  readonly deviceTokenId: string;
}

/** Logs in by what is shown; undefined where that is refused, in the one way in which anything is. */
export async function rememberMe(
  server: TestServer,
  input: object,
  target = identifiedPath,
): Promise<Tokens | undefined> {
  const answer = await postJson(server, target, input);
  if (answer.status === 201) return answer.json as Tokens;
  expect(answer).toMatchObject({
    status: 401,
    text: '[{"code":"CREDENTIALS_INVALID","message":"The credentials are not valid."}]',
    headers: { 'www-authenticate': 'Basic realm="iam", charset="UTF-8"' },
  });
  return undefined;
}

/** Alice, whose session is bound to her phone. */
export async function createPhoneSession(
  server: TestServer,
  start: Parameters<typeof createTokens>[1] = {},
): Promise<Tokens & RememberMeInput> {
  const token = await createTokens(server, start);
  return { ...token, userName: alice.userName, deviceTokenId: await associate(server, token) };
}

/** What is shown of it. */
export const toRememberMeInput = ({ userName, refreshToken, deviceTokenId }: RememberMeInput): RememberMeInput => ({
  userName,
  refreshToken,
  deviceTokenId,
});
