/** Successful logins and completed recoveries record their source in the commit of the session. */
import { sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { applySeed } from '../../../../src/server/seed/apply.ts';
import { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { appClientId, createFakeClock, startServer, type TestServer } from '../../../harness.ts';
import { createAuthority, createCertificate } from '../../federation/certificates.ts';
import { audience, startOpenIdProvider } from '../../federation/openid-provider.ts';
import { entityId, audience as samlAudience, samlResponse, signing } from '../../federation/saml-responses.ts';
import { lastCode } from '../otp-inbox.ts';
import { rowOf } from './callers.ts';
import { newPassword, retrieve } from './flows.ts';
import { alice, basic, hashFast, password, passwordHash, postForm, postJson, startWith } from './login-fixtures.ts';
import { dora, logonPassword, mobiles, startWithLogons } from './logon-fixtures.ts';
import { associate, forwardedFrom, listKnownSources, logInFrom, tokenFrom, withProxy } from './sources.ts';

const [here, known, elsewhere] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
const all = [here, known, elsewhere];
const named = `clientId=${appClientId}`;

const start = () => startWith([], withProxy());

describe('a correct password', () => {
  test('makes its source known, and a wrong one does not', async () => {
    await using server = await start();
    await logInFrom(server, known, { secret: 'wrong' });
    expect(await listKnownSources(server, all)).toEqual([]);
    await logInFrom(server, here);
    expect(await listKnownSources(server, all)).toEqual([here]);
    await logInFrom(server, known);
    expect(await listKnownSources(server, all)).toEqual([here, known]);
  });

  test('of a locked user makes no source known', async () => {
    await using server = await start();
    await server.admin.userIdentities.lock({ body: { userId: alice.userId } });
    expect(await logInFrom(server, here)).toMatchObject({ status: 401 });
    expect(await listKnownSources(server, all)).toEqual([]);
  });

  test('makes a source known at both token endpoints', async () => {
    await using server = await start();
    const pair = { client_id: appClientId, username: alice.userName, password };
    expect(await postForm(server, { grant_type: 'password', ...pair }, forwardedFrom(here))).toMatchObject({
      status: 200,
    });
    const body = { grantType: 'password', clientId: appClientId, userName: alice.userId, password };
    expect(await postJson(server, '/generate-token', body, forwardedFrom(known))).toMatchObject({ status: 201 });
    expect(await listKnownSources(server, all)).toEqual([here, known]);
  });

  test('adds no write if the source is known, and needs one commit in any case', async () => {
    await using server = await start();
    const before = await rowOf(server);
    let commits = 0;
    const { transaction } = server.appContext.store;
    Object.assign(server.appContext.store, {
      transaction: (work: never) => {
        commits += 1;
        return transaction.call(server.appContext.store, work);
      },
    });
    await logInFrom(server, here);
    const first = await rowOf(server);
    expect([commits, first === before]).toEqual([1, false]);
    await logInFrom(server, here);
    expect([commits, (await rowOf(server)) === first]).toEqual([2, true]);
  });
});

describe('behind a back end', () => {
  test('the address that an authenticated client forwards is recorded, for this client only', async () => {
    await using server = await start();
    const pair = basic(alice.userName, password);
    const { clientId } = await server.makeClient();
    const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'web', clientId } });
    const body = { userName: alice.userName, password };
    const headers = { ...forwardedFrom(known), 'x-api-key': apiKey, ip: here };
    expect(await postJson(server, '/user-identities/login', body, headers)).toMatchObject({ status: 201 });
    expect(await listKnownSources(server, [here, known, `${here} via ${clientId}`])).toEqual([
      `${here} via ${clientId}`,
    ]);
    await logInFrom(server, elsewhere, { headers: { ip: here, authorization: pair } });
    expect(await listKnownSources(server, [here, elsewhere])).toEqual([elsewhere]);
  });

  test('also if the client authenticates in the body of a token request', async () => {
    await using server = await start();
    const { clientId, clientSecret } = await server.makeClient({ grantTypes: ['password'] });
    const fields = { grant_type: 'password', client_id: clientId, username: alice.userName, password };
    const headers = { ...forwardedFrom(known), ip: here };
    expect(await postForm(server, { ...fields, client_secret: clientSecret }, headers)).toMatchObject({ status: 200 });
    expect(await listKnownSources(server, [here, known, `${here} via ${clientId}`])).toEqual([
      `${here} via ${clientId}`,
    ]);
    expect(await postForm(server, { ...fields, client_id: appClientId }, headers)).toMatchObject({ status: 200 });
    expect(await listKnownSources(server, [here, known, `${here} via ${appClientId}`])).toEqual([known]);
  });
});

describe('a device', () => {
  test('is recorded instead of the address if its token is sent', async () => {
    await using server = await start();
    const deviceTokenId = await associate(server, { accessToken: await tokenFrom(server, here), address: here });
    const [device] = await server.appContext.store.devices.list();
    await logInFrom(server, known, { deviceTokenId });
    expect(await listKnownSources(server, [...all, `device ${device?.deviceKey}`])).toEqual([
      here,
      `device ${device?.deviceKey}`,
    ]);
  });

  test('is known from its association on', async () => {
    await using server = await start();
    await associate(server, { accessToken: await tokenFrom(server, here), address: known });
    const [device] = await server.appContext.store.devices.list();
    expect(await listKnownSources(server, [known, `device ${device?.deviceKey}`])).toEqual([
      `device ${device?.deviceKey}`,
    ]);
  });

  test('of another user is ignored', async () => {
    await using server = await startWith([{ userId: 'bob', userName: 'bob', passwordHash }], withProxy());
    const deviceTokenId = await associate(server, { accessToken: await tokenFrom(server, here), address: here });
    const [device] = await server.appContext.store.devices.list();
    await logInFrom(server, known, { name: 'bob', deviceTokenId });
    expect(await listKnownSources(server, [known, `device ${device?.deviceKey}`], 'bob')).toEqual([known]);
  });
});

describe('an external credential makes its source known:', () => {
  test('an ID token', async () => {
    const clock = createFakeClock();
    await using provider = await startOpenIdProvider(clock);
    const { issuer, jwksUri } = provider;
    const row = { kind: 'oidc' as const, name: 'corp', issuer, jwksUri, clientId: audience, emailDomains: [] };
    const users = [{ ...alice, identities: ['corp:subject-1'] }];
    await using server = await startServer(withProxy({ clock, seed: { users, providers: [row] } }));
    const body = { provider: 'corp', idToken: await provider.token() };
    const response = await postJson(server, `/user-identities/login-federated?${named}`, body, forwardedFrom(here));
    expect(response).toMatchObject({ status: 201 });
    expect(await listKnownSources(server, all)).toEqual([here]);
  });

  test('a SAML response', async () => {
    const emailDomains = ['example.com'];
    const row = {
      kind: 'saml' as const,
      name: 'idp',
      entityId,
      certificates: [signing.pem],
      audience: samlAudience,
      emailDomains,
    };
    await using server = await startServer(withProxy({ seed: { users: [alice], providers: [row] } }));
    const body = { samlResponse: samlResponse(server, { nameId: 'new', attributes: { email: [alice.userEmail] } }) };
    const response = await postJson(server, `/user-identities/renew-app-token?${named}`, body, forwardedFrom(here));
    expect(response).toMatchObject({ status: 201 });
    expect(await listKnownSources(server, all)).toEqual([here]);
    expect((await rowOf(server)).identities).toContain('idp:new');
  });

  test('a certificate', async () => {
    const root = createAuthority({ name: 'Root', key: 'ec' });
    const options = { authority: false, keyUsage: [0], purposes: [2], emails: [alice.userEmail] };
    const leaf = createCertificate({ name: 'Alice', issuer: root, key: 'ec-other', ...options });
    const providers = [{ kind: 'certificateAuthority' as const, name: 'root', certificate: root.pem }];
    await using server = await startServer(withProxy({ seed: { users: [alice], providers } }));
    const { token } = await server.as().userIdentities.certificateToken({ query: { clientId: appClientId } });
    const key = { key: leaf.privateKey, dsaEncoding: 'ieee-p1363' } as const;
    const signature = sign('sha256', Buffer.from(token), key).toString('base64');
    const body = { token, certificate: leaf.pem, signature };
    const response = await postJson(
      server,
      `/user-identities/digital-certificate/login?${named}`,
      body,
      forwardedFrom(here),
    );
    expect(response).toMatchObject({ status: 201 });
    expect(await listKnownSources(server, all)).toEqual([here]);
  });
});

describe('a mainframe logon', () => {
  const loginLegacy = (server: TestServer, logon: string, address: string) =>
    postJson(
      server,
      `/user-identities/login-legacy?${named}`,
      { logon, password: logonPassword },
      forwardedFrom(address),
    );

  test('makes the source known for the user that it is bound to', async () => {
    await using server = await startWithLogons(withProxy());
    expect(await loginLegacy(server, 'DORA1', here)).toMatchObject({ status: 201 });
    expect(await loginLegacy(server, 'FREE1', known)).toMatchObject({ status: 201 });
    expect(await listKnownSources(server, all, dora.userId)).toEqual([here]);
  });

  test('with a new password keeps only the source that set it', async () => {
    await using server = await startWithLogons(withProxy());
    await loginLegacy(server, 'DORA1', here);
    const { hash } = await server.as().userIdentities.retrieveLegacy({
      query: { clientId: appClientId },
      body: { logon: 'DORA1' },
    });
    const body = { logon: 'DORA1', hash, token: await lastCode(server, mobiles.DORA1), newPassword: 'NEW#PW1' };
    const response = await postJson(
      server,
      `/user-identities/reset-legacy-password?${named}`,
      body,
      forwardedFrom(known),
    );
    expect(response).toMatchObject({ status: 200 });
    expect(await listKnownSources(server, all, dora.userId)).toEqual([known]);
  });
});

describe('a new password', () => {
  test('set with a code keeps only the source that set it', async () => {
    await using server = await start();
    await logInFrom(server, here);
    await retrieve(server);
    const validationCode = await lastCode(server, alice.userEmail);
    const body = { newPassword, validationCode, username: alice.userName };
    const response = await postJson(server, `/user-identities/reset-password?${named}`, body, forwardedFrom(known));
    expect(response).toMatchObject({ status: 201 });
    expect(await listKnownSources(server, all)).toEqual([known]);
  });

  test('set in a session keeps the source of the caller and the device of its session', async () => {
    await using server = await start();
    const stranger = await associate(server, { accessToken: await tokenFrom(server, elsewhere), address: here });
    await logInFrom(server, elsewhere, { deviceTokenId: stranger });
    const accessToken = await tokenFrom(server, here);
    await associate(server, { accessToken, address: here, deviceId: 'tablet' });
    const devices = await server.appContext.store.devices.find('userId', alice.userId);
    const keys = Object.fromEntries(devices.map(({ deviceId, deviceKey }) => [deviceId, `device ${deviceKey}`]));
    const { phone = '', tablet = '' } = keys;
    expect(await listKnownSources(server, [...all, phone, tablet])).toEqual([here, elsewhere, phone, tablet]);
    const headers = { ...forwardedFrom(known), authorization: `Bearer ${accessToken}` };
    const body = { password, newPassword };
    const response = await postJson(server, '/user-identities/me/change-password', body, headers);
    expect(response).toMatchObject({ status: 201 });
    expect(await listKnownSources(server, [...all, phone, tablet])).toEqual([known, tablet]);
  });

  test('set by a seed clears all sources, and the same hash again keeps them', async () => {
    await using server = await start();
    await logInFrom(server, here);
    const apply = (hash: string) =>
      applySeed(SeedDocument.parse({ users: [{ userId: alice.userId, passwordHash: hash }] }), server.appContext);
    await apply(passwordHash);
    expect(await listKnownSources(server, all)).toEqual([here]);
    await apply(await hashFast(newPassword));
    expect(await listKnownSources(server, all)).toEqual([]);
  });
});
