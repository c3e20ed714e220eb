import type { IamClient } from '../../../../../src/client/index.ts';
import type { SeedFactor, SeedUser } from '../../../../../src/server/seed/schema.ts';
import type { Factor } from '../../../../../src/server/store/tables.ts';
import { appClientId, type TestServer, type TestServerOptions } from '../../../../harness.ts';
import { lastCode } from '../../otp-inbox.ts';
import { basic, password, passwordHash, startWith } from '../login-fixtures.ts';

export const mobile = { regionCode: 55, areaCode: 11, phoneNumber: 987654321 };
export const otherMobile = { regionCode: 1, areaCode: 555, phoneNumber: 5550123 };

export const mainEmail = 'bob@example.com';
export const mainNumber = '+5511987654321';
export const workEmail = 'bob@work.example';
export const freshEmail = 'fresh@example.net';

/** `work` has the tag MARKED_RESOURCES, `phone` does not, `fresh` is not verified. */
export const factors: SeedFactor[] = [
  { id: 'work', contactType: 'EMAIL', email: workEmail, tags: ['MARKED_RESOURCES', 'office'] },
  { id: 'phone', contactType: 'MOBILE', mobile: otherMobile },
  { id: 'fresh', contactType: 'EMAIL', email: freshEmail, verified: false },
];

export const bob = {
  userId: 'bob',
  userName: 'bob',
  userEmail: mainEmail,
  userMobile: mobile,
  passwordHash,
  factors,
} satisfies SeedUser;

/** A server with Alice, who has only her main e-mail address as a factor, and Bob. */
export function startWithBob(changes: object = {}, options: TestServerOptions = {}): Promise<TestServer> {
  return startWith([{ ...bob, ...changes }], options);
}

export interface LoginResult {
  readonly as: IamClient;
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
}

/** Logs in with a password. */
export async function logInAs(
  server: TestServer,
  name = 'bob',
  { clientId = appClientId, remember = false } = {},
): Promise<LoginResult> {
  const token = await server.as().userIdentities.login({
    query: { clientId, 'remember-me': remember },
    headers: { authorization: basic(name, password) },
  });
  return { ...token, as: server.as({ token: token.accessToken }) };
}

/** Logs Bob in through a client with this factor visibility. */
export async function throughClient(
  server: TestServer,
  factorVisibility: 'CREDENTIALS_ONLY' | 'MARKED_RESOURCES' | 'UNRESTRICTED',
): Promise<IamClient> {
  const { clientId } = await server.makeClient({ factorVisibility });
  return (await logInAs(server, 'bob', { clientId })).as;
}

/** Completes MFA with the main e-mail address. */
export async function completeSecondFactor(server: TestServer, as: IamClient, to = mainEmail) {
  const { challengeId } = await as.userIdentities.leverageMfa({ body: {} });
  return as.userIdentities.fulfillMfa({ body: { challengeId, token: await lastCode(server, to) } });
}

/** Returns the stored alternative contact. */
export async function factorOf(server: TestServer, factorId: string): Promise<Factor | undefined> {
  return server.appContext.store.factors.get(factorId);
}

export async function factorIds(server: TestServer, userId = 'bob'): Promise<string[]> {
  return (await server.appContext.store.factors.find('userId', userId)).map(({ factorId }) => factorId).sort();
}

/** The verified contacts of Bob. */
const verified = [mainEmail, mainNumber, workEmail, '+15555550123'];

/** The notices of a change of factors: one at each other verified contact, and one at the contact that lost its codes, if any. */
export function noticesOfChange(...changed: string[]): { to: string; purpose: string }[] {
  const others = verified.filter((to) => !changed.includes(to)).map((to) => ({ to, purpose: 'factor-changed' }));
  return [...others, ...changed.map((to) => ({ to, purpose: 'contact-changed' }))].sort(byRecipient);
}

const byRecipient = (a: { to: string }, b: { to: string }) => (a.to < b.to ? -1 : 1);

/** Returns the recipients and purposes of the notices, in the same order. */
export async function noticeRecipients(server: TestServer): Promise<{ to: string; purpose: string }[]> {
  return (await notices(server)).map(({ to, purpose }) => ({ to, purpose })).sort(byRecipient);
}

/** Returns the messages that are notices and not codes. */
export async function notices(server: TestServer): Promise<{ to: string; purpose: string; text: string }[]> {
  const messages = await server.appContext.store.messages.list();
  return messages
    .filter(({ sealedCode }) => sealedCode === undefined)
    .map(({ to, purpose, text }) => ({ to, purpose, text }));
}

/** Returns the errors of many requests. */
export async function settleAll(requests: readonly Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(requests);
  return settled.map((one) =>
    one.status === 'fulfilled' ? 'done' : String((one.reason as { code?: string }).code ?? one.reason),
  );
}
