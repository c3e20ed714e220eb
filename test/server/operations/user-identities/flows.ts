/** Sign-up with a verified contact and account recovery, through an identified client. */
import { appClientId, type TestServer } from '../../../harness.ts';
import { lastCode } from '../otp-inbox.ts';
import { type ApiResponse, alice, postJson } from './login-fixtures.ts';

const named = `clientId=${appClientId}`;
export const newPassword = 'a window in the roof';

export function identify(server: TestServer, contact: object): Promise<ApiResponse> {
  return postJson(server, `/user-identities/identification?${named}`, contact);
}

export function signUp(server: TestServer, more: object = {}): Promise<ApiResponse> {
  return postJson(server, `/user-identities?${named}`, { userName: 'bob', userEmail: 'bob@example.com', ...more });
}

export function retrieve(server: TestServer, userName: string = alice.userName): Promise<ApiResponse> {
  return postJson(server, `/user-identities/retrieve-identity?${named}`, { userName });
}

export function reset(server: TestServer, validationCode: string, more: object = {}): Promise<ApiResponse> {
  return postJson(server, `/user-identities/reset-password?${named}`, {
    newPassword,
    validationCode,
    username: alice.userName,
    ...more,
  });
}

/** Requests the recovery code of Alice and returns it. */
export async function recoveryCode(server: TestServer, to: string = alice.userEmail): Promise<string> {
  await retrieve(server);
  return lastCode(server, to);
}

/** Requests a sign-up code for a contact and returns it. */
export async function signUpCode(server: TestServer, userEmail = 'bob@example.com'): Promise<string> {
  await identify(server, { userEmail });
  return lastCode(server, userEmail);
}

/** Counts responses by status. */
export function tally(responses: readonly ApiResponse[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The error that reveals no reason. */
export const rejectedCode = { status: 412, json: [{ code: 'CODE_INVALID' }] };
