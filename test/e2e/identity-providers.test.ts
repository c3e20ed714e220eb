/** Federated logins at the built server: the verifiers are loaded on the first login. */
import { sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { createFakeClock } from '../harness.ts';
import { createAuthority, createCertificate } from '../server/federation/certificates.ts';
import { audience as clientId, startOpenIdProvider } from '../server/federation/openid-provider.ts';
import { audience, entityId, samlResponse, signing } from '../server/federation/saml-responses.ts';
import { Sandbox } from './cli-process.ts';
import { isInProcess } from './runner.ts';

const authority = createAuthority({ name: 'Root', key: 'ec' });
const leaf = createCertificate({ issuer: authority, key: 'ec-other' });

// In the process of the test, the tests of the operations show the same.
test.skipIf(isInProcess)('certificates, SAML responses and ID tokens log in at the built server', async () => {
  const clock = createFakeClock(new Date().toISOString());
  await using provider = await startOpenIdProvider(clock);
  await using sandbox = await Sandbox.make();
  const { issuer, jwksUri } = provider;
  const seed = {
    users: [{ userId: 'alice', identities: ['idp:Subject-1', 'oidc:subject-1'], certificates: [leaf.fingerprint] }],
    providers: [
      { kind: 'certificateAuthority', name: 'root', certificate: authority.pem },
      { kind: 'saml', name: 'idp', entityId, certificates: [signing.pem], audience },
      { kind: 'oidc', name: 'oidc', issuer, jwksUri, clientId },
    ],
  };
  await writeFile(sandbox.file('seed.json'), JSON.stringify(seed));
  const words = ['--store', 'memory', '--seed', sandbox.file('seed.json')];
  const { url, child, done } = await sandbox.serve(words, { IAM_APP_CLIENT_ID: 'e2e-app' });
  const { userIdentities, close } = createClient({ baseUrl: url });
  const query = { clientId: 'e2e-app' };

  const { token } = await userIdentities.certificateToken({ query });
  const signature = sign('sha256', Buffer.from(token), { key: leaf.privateKey, dsaEncoding: 'ieee-p1363' });
  const tokens = [
    await userIdentities.certificateLogin({
      query,
      body: { token, certificate: leaf.pem, signature: signature.toString('base64') },
    }),
    await userIdentities.renewAppToken({ query, body: { samlResponse: samlResponse({ url, clock }) } }),
    await userIdentities.loginFederated({ query, body: { provider: 'oidc', idToken: await provider.token() } }),
  ];
  expect(tokens.map(({ tokenType }) => tokenType)).toEqual(['Bearer', 'Bearer', 'Bearer']);
  await close();
  child.kill('SIGTERM');
  expect(await done).toMatchObject({ code: 0, err: '' });
});
