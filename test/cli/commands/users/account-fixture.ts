/** A server with users in several states, and runs of the command as an operator. */
import { adminClient, appClientId, startServer, type TestServer, type TestServerOptions } from '../../../harness.ts';
import { iam, type RunOptions } from '../../run-cli.ts';

export const oldPassword = 'correct horse battery staple';
export const newPassword = 'another horse with a saddle';

const users = [
  { userId: 'u-alice', userName: 'alice', password: oldPassword, userEmail: 'alice@example.com' },
  { userId: 'u-bob', userName: 'bob' },
  { userId: 'u-carol', userName: 'carol', userEmail: 'carol@example.com', locked: true },
  { userId: 'u-dave', userName: 'dave', userMobile: { regionCode: 55, areaCode: 11, phoneNumber: 987654321 } },
];

export function startUserServer(flags: TestServerOptions['flags'] = {}): Promise<TestServer> {
  return startServer({ seed: { users }, flags });
}

/** The credentials of the administrator client. */
export const operator = {
  IAM_CLIENT_ID: adminClient.clientId,
  IAM_CLIENT_SECRET: adminClient.clientSecret,
};

/** Runs `iam users` as an operator. */
export function runUsers(server: TestServer, words: readonly string[], options: RunOptions = {}) {
  return iam(['users', ...words], { url: server.url, variables: operator, ...options });
}

/** Whether a user can log in with a password. */
export async function canLogin(server: TestServer, userName: string, password: string): Promise<boolean> {
  const client = server.as({ basic: { clientId: userName, clientSecret: password } });
  return client.userIdentities.login({ query: { clientId: appClientId } }).then(
    () => true,
    () => false,
  );
}
