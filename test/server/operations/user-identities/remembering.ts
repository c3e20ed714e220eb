/** Logins by what an earlier one left, and what is shown for them. */
import { expect } from 'vitest';
import { appClientId, type TestServer } from '../../../harness.ts';
import { alice, postJson } from './people.ts';
import { associate, type Tokens, tokensOf } from './renewing.ts';

export const path = '/user-identities/remember-me';
export const named = `${path}?clientId=${appClientId}`;

/** What remember-me takes. */
export interface Shown {
  readonly userName: string;
  readonly refreshToken: string;
  readonly deviceTokenId: string;
}

/** Logs in by what is shown; undefined where that is refused, in the one way in which anything is. */
export async function remember(server: TestServer, shown: object, target = named): Promise<Tokens | undefined> {
  const answer = await postJson(server, target, shown);
  if (answer.status === 201) return answer.json as Tokens;
  expect(answer).toMatchObject({
    status: 401,
    text: '[{"code":"CREDENTIALS_INVALID","message":"The credentials are not valid."}]',
    headers: { 'www-authenticate': 'Basic realm="iam", charset="UTF-8"' },
  });
  return undefined;
}

/** Alice, whose session is bound to her phone. */
export async function onPhone(server: TestServer, start: Parameters<typeof tokensOf>[1] = {}): Promise<Tokens & Shown> {
  const token = await tokensOf(server, start);
  return { ...token, userName: alice.userName, deviceTokenId: await associate(server, token) };
}

/** What is shown of it. */
export const shownOf = ({ userName, refreshToken, deviceTokenId }: Shown): Shown => ({
  userName,
  refreshToken,
  deviceTokenId,
});
