/**
 * For each operation that anyone can call: an accepted request that inserts rows, or the reason why none does.
 * Prerequisites are created by callers without a growth limit.
 */
import { sign } from 'node:crypto';
import type { Operation } from '../../src/contract/operation.ts';
import { servicePrefix } from '../../src/contract/prefix.ts';
import { type OperationId, operations } from '../../src/server/operations/index.ts';
import { adminClient, appClientId, createFakeClock, type TestServer, type TestServerOptions } from '../harness.ts';
import { createAuthority, createCertificate } from '../server/federation/certificates.ts';
import {
  firstKey,
  type OpenIdProvider,
  audience as openIdAudience,
  startOpenIdProvider,
} from '../server/federation/openid-provider.ts';
import { audience, entityId, samlResponse, signing } from '../server/federation/saml-responses.ts';
import { lastCode } from '../server/operations/otp-inbox.ts';
import { alice, basic, password } from '../server/operations/user-identities/login-fixtures.ts';
import {
  logonPassword,
  mobiles,
  retrieve,
  startWithLogons,
} from '../server/operations/user-identities/logon-fixtures.ts';
import { createPhoneSession, toRememberMeInput } from '../server/operations/user-identities/remember-me-fixtures.ts';
import { createTokens } from '../server/operations/user-identities/session-fixtures.ts';
import { userToken } from '../server/operations/user-token.ts';
import type { RawResponse } from '../server/property/raw-sender.ts';

export interface GrowthFixture extends AsyncDisposable {
  readonly server: TestServer;
  readonly provider: OpenIdProvider;
}

/** What a call sends besides the path of its operation; `clientId` names the client where the operation takes that. */
export interface GrowthRequest {
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: readonly (readonly [string, string])[];
  readonly params?: Readonly<Record<string, string>>;
}

/** Its password changes, so that no request logs in as this user. */
const erin = { ...alice, userId: 'erin-id', userName: 'Erin', userEmail: 'erin@example.com', identities: [] };

const root = createAuthority({ name: 'Root', key: 'ec' });
const leafOptions = { authority: false, keyUsage: [0], purposes: [2], emails: [alice.userEmail] } as const;
const leaf = createCertificate({ name: 'Alice', issuer: root, key: 'ec-other', ...leafOptions });

/** A server behind a proxy on this machine, with users, logons and providers. */
export async function startGrowthFixture(
  flags: Record<string, string | boolean>,
  more: TestServerOptions = {},
): Promise<GrowthFixture> {
  const clock = createFakeClock();
  const provider = await startOpenIdProvider(clock);
  const { issuer, jwksUri } = provider;
  const trust = { emailDomains: ['example.com'] };
  const options: TestServerOptions = {
    ...more,
    clock,
    flags: { 'trusted-proxies': '127.0.0.0/8', ...flags },
    seed: {
      providers: [
        { kind: 'oidc', name: 'corp', issuer, jwksUri, clientId: openIdAudience, ...trust },
        { kind: 'saml', name: 'idp', entityId, certificates: [signing.pem], audience, ...trust },
        { kind: 'certificateAuthority', name: 'root', certificate: root.pem },
      ],
    },
  };
  const server = await startWithLogons(options, [erin]);
  return {
    server,
    provider,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

let count = 0;
function uniqueName(what: string): string {
  count += 1;
  return `${what}${count}`;
}
const basicRequest = (name: string, secret: string): GrowthRequest => ({
  headers: [['Authorization', basic(name, secret)]],
});
const bearer = (token: string) => [['Authorization', `Bearer ${token}`]] as const;

/** The access token of a user that signed up and verified an e-mail address only. */
function issueSelfRegisteredToken(server: TestServer): Promise<string> {
  return userToken(server, { level: 'AUTH-IDENTIFIED' });
}

export const growthRequests: Partial<
  Record<OperationId, (fixture: GrowthFixture) => GrowthRequest | Promise<GrowthRequest>>
> = {
  'client-identities.connect-token': () => ({
    form: { grant_type: 'password', client_id: appClientId, username: alice.userName, password },
  }),
  'generate-token.create': () => ({
    body: { grantType: 'password', clientId: appClientId, userName: alice.userName, password },
  }),
  'user-identities.login': () => basicRequest(alice.userName, password),
  'user-identities.login-legacy': () => basicRequest('FREE1', logonPassword),
  'user-identities.login-federated': async ({ provider }) => ({
    body: { provider: 'corp', idToken: await provider.token(createIdTokenClaims(), { key: firstKey }) },
  }),
  'user-identities.renew-app-token': ({ server }) => ({
    body: { samlResponse: samlResponse(server, { attributes: { email: [alice.userEmail] } }) },
  }),
  'user-identities.certificate-token': () => ({}),
  'user-identities.certificate-login': async ({ server }) => {
    const query = { clientId: appClientId };
    const { token } = await server.as().userIdentities.certificateToken({ query });
    const key = { key: leaf.privateKey, dsaEncoding: 'ieee-p1363' } as const;
    const signature = sign('sha256', Buffer.from(token), key).toString('base64');
    return { body: { token, certificate: leaf.pem, signature } };
  },
  'user-identities.authenticate-by-param': async ({ server }) => {
    const { accessToken } = await createTokens(server);
    const { param } = await server.as({ token: accessToken }).userIdentities.generateParam({ body: {} });
    return { headers: [['param', param]], body: {} };
  },
  'user-identities.create': () => ({
    body: { userName: uniqueName('user-'), userEmail: `${uniqueName('mail')}@example.com` },
  }),
  'user-identities.identification': () => ({ body: { userEmail: `${uniqueName('mail')}@example.com` } }),
  'user-identities.retrieve': () => ({ body: { userName: uniqueName('unknown-') } }),
  'user-identities.retrieve-legacy': () => ({ body: { logon: uniqueName('NONE') } }),
  'user-identities.reset-password': async ({ server }) => {
    const query = { clientId: appClientId };
    await server.as().userIdentities.retrieve({ query, body: { userName: erin.userName } });
    const validationCode = await lastCode(server, erin.userEmail);
    return { body: { username: erin.userName, validationCode, newPassword: `${uniqueName('another')} pass phrase` } };
  },
  'user-identities.reset-legacy-password': async ({ server }) => {
    const { hash } = await retrieve(server, 'DORA1');
    const token = await lastCode(server, mobiles.DORA1);
    return { body: { logon: 'DORA1', hash, token, newPassword: 'NEW#PW1' } };
  },
  'user-identities.create-password': async ({ server }) => {
    const userId = uniqueName('user-');
    const token = await userToken(server, { userId, level: 'AUTH-IDENTIFIED' });
    await server.appContext.store.transaction(async (tx) => {
      const user = await tx.users.get(userId);
      // Its owner is notified of the password: that is the row.
      if (user) await tx.users.replace({ ...user, userEmail: `${userId}@example.com`, emailVerified: true });
    });
    return { headers: bearer(token), body: { newPassword: 'a pass phrase that is new' } };
  },
  'my-client-identities.create': async ({ server }) => ({
    headers: bearer(await issueSelfRegisteredToken(server)),
    body: { appId: 'app' },
  }),
};

function createIdTokenClaims() {
  return { jti: uniqueName('jti'), email: alice.userEmail, email_verified: true };
}

/** Operations that insert rows, but create nothing as long as one session is renewed seldom. */
export const renewalRequests: typeof growthRequests = {
  'user-identities.remember-me': async ({ server }) => ({ body: toRememberMeInput(await createPhoneSession(server)) }),
  'user-identities.renew-token': async ({ server }) => {
    const { refreshToken } = await createTokens(server);
    return { body: { refreshToken } };
  },
};

/** Operations that require no authentication and insert no row, each with an accepted request. */
export const requestsWithoutGrowth: Partial<
  Record<OperationId, (fixture: GrowthFixture) => GrowthRequest | Promise<GrowthRequest>>
> = {
  // A token that names no session.
  'client-identities.login': () => basicRequest(adminClient.clientId, adminClient.clientSecret),
  // The id stays claimed in the row that is there.
  'my-client-identities.remove': async ({ server }) => {
    const token = await issueSelfRegisteredToken(server);
    const { clientId } = await server.as({ token }).myClientIdentities.create({ body: { appId: 'app' } });
    return { headers: bearer(token), params: { clientId } };
  },
};

/** Sends a request, from another source than this machine if one is given. */
export function sendGrowthRequest(
  server: TestServer,
  id: OperationId,
  creation: GrowthRequest,
  source?: string,
): Promise<RawResponse> {
  const { method, path, auth } = operations[id] as unknown as Operation<never>;
  const { body, form, headers = [], params = {} } = creation;
  const authorized = headers.some(([, value]) => value.startsWith('Bearer'));
  const query = auth === 'client-id' && !authorized ? `?clientId=${appClientId}` : '';
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
  return server.send({
    method,
    path: `${servicePrefix}${path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')}${query}`,
    headers: [
      ...headers,
      ...(body === undefined && !form ? [] : [['Content-Type', type] as const]),
      ...(source === undefined ? [] : [['X-Forwarded-For', source] as const]),
    ],
    body: form ? new URLSearchParams(form).toString() : body === undefined ? undefined : JSON.stringify(body),
  });
}
