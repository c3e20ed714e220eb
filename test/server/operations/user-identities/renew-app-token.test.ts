import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { appClientId, startServer, type TestServer } from '../../../harness.ts';
import {
  audience,
  entityId,
  otherSigning,
  type ResponseOptions,
  recipientOf,
  samlResponse,
  samlXml,
  signing,
  weakSigning,
} from '../../integrations/providers/saml-responses.ts';
import { catchClientError, testAccess } from '../access.ts';
import { alice, postJson, readClaims, readRoles } from './login-fixtures.ts';

const name = 'idp';
const linked = { ...alice, identities: [`${name}:Subject-1`] };
const provider = {
  kind: 'saml' as const,
  name,
  entityId,
  certificates: [signing.pem],
  audience,
  emailDomains: ['example.com'],
};
const byEmail: ResponseOptions = { nameId: 'new', attributes: { email: [alice.userEmail] } };

function start(seed: SeedDocument = {}): Promise<TestServer> {
  return startServer({ seed: { users: [linked], providers: [provider], ...seed } });
}

function logIn(server: TestServer, response: string) {
  return server.as().userIdentities.renewAppToken({
    query: { clientId: appClientId },
    body: { samlResponse: response, relayState: 'anything' },
  });
}

const invalid = {
  status: 401,
  items: [{ code: 'PROOF_INVALID', message: 'The code, certificate or assertion is not valid or has expired.' }],
};
const unknown = { status: 412, code: 'SUBJECT_UNKNOWN' };

/** The call is refused, as every wrong proof is where nothing else is said, and the store stays as it was. */
async function expectRefused(server: TestServer, response: string, expected: object = invalid): Promise<void> {
  const before = await server.dump();
  const failure = await catchClientError(logIn(server, response));
  expect({ status: failure.status, code: failure.code, items: failure.items }).toMatchObject(expected);
  expect(await server.dump()).toEqual(before);
}

testAccess('user-identities.renew-app-token', async (server) => {
  await server.appContext.store.transaction(async (tx) => {
    await tx.providers.insert(provider);
    const user = { emailVerified: false, mobileVerified: false, lead: false, locked: false };
    const { userId, userName, identities } = linked;
    await tx.users.insert({ ...user, userId, userName, identities, createdAt: '2026-01-01T00:00:00.000Z' });
  });
  return { body: { samlResponse: samlResponse(server) } };
});

describe('a right response', () => {
  test('logs the linked user in, at the level of a password and without a refresh token', async () => {
    await using server = await start();
    const token = await logIn(server, samlResponse(server));
    expect(readClaims(token)).toMatchObject({ sub: alice.userId, client_id: appClientId });
    expect(readRoles(token)).toContain('AUTH-BASIC');
    expect(readRoles(token)).not.toContain('AUTH-MFA');
    expect(token.refreshToken).toBeUndefined();
  });

  test.each<[string, ResponseOptions]>([
    ['whose response is signed', { sign: ['Response'] }],
    ['whose response and assertion are signed', { sign: ['Assertion', 'Response'] }],
    ['that is signed with SHA-512', { hash: 'sha512' }],
    ['without a destination', { before: (xml) => xml.replace(/ Destination="[^"]*"/, '') }],
    [
      'without an issuer outside of the assertion',
      { before: (xml) => xml.replace(/<saml:Issuer>.*?<\/saml:Issuer>/, '') },
    ],
    ['that goes over lines', { before: (xml) => xml.replaceAll('><', '>\n  <') }],
    [
      'that answers a request that nobody knows',
      { before: (xml) => xml.replace(' Version', ' InResponseTo="_1" Version') },
    ],
    [
      'whose conditions are over at no time',
      { before: (xml) => xml.replace(/<saml:Conditions [^>]*>/, '<saml:Conditions>') },
    ],
  ])('may be one %s', async (_, options) => {
    await using server = await start();
    await expect(logIn(server, samlResponse(server, options))).resolves.toBeDefined();
  });

  test('may have lines in its base64', async () => {
    await using server = await start();
    const response = samlResponse(server).replaceAll(/.{76}/g, '$&\r\n');
    await expect(logIn(server, response)).resolves.toBeDefined();
  });

  test('may be signed by any of several keys of the provider', async () => {
    const certificates = [otherSigning.der.toString('base64'), signing.pem];
    await using server = await start({ providers: [{ ...provider, certificates }] });
    for (const key of [signing, otherSigning])
      await expect(logIn(server, samlResponse(server, { key }))).resolves.toBeDefined();
  });
});

describe('a response counts once', () => {
  test('one after the other', async () => {
    await using server = await start();
    const response = samlResponse(server);
    await logIn(server, response);
    await expectRefused(server, response);
    server.clock.advance(299);
    await expectRefused(server, response);
  });

  test('among 100 calls at once', async () => {
    await using server = await start();
    const response = samlResponse(server, byEmail);
    const calls = await Promise.allSettled(Array.from({ length: 100 }, () => logIn(server, response)));
    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await server.appContext.store.sessions.count()).toBe(1);
  });

  test('also where its assertion comes in another response, or written otherwise', async () => {
    await using server = await start();
    const xml = samlXml(server);
    await logIn(server, Buffer.from(xml).toString('base64'));
    for (const other of [xml.replace('_response-', '_another-'), `${xml}\n`, xml.replace('?>', '?>\n')])
      await expectRefused(server, Buffer.from(other).toString('base64'));
  });

  test('and not before the user is there', async () => {
    await using server = await start();
    const response = samlResponse(server, { nameId: 'nobody yet' });
    await expectRefused(server, response, unknown);
    await server.admin.userIdentities.addIdentity({
      params: { id: alice.userId },
      body: { identity: `${name}:nobody yet` },
    });
    await expect(logIn(server, response)).resolves.toBeDefined();
  });
});

describe('a response is refused', () => {
  const assertionOf = (xml: string) => /<saml:Assertion .*<\/saml:Assertion>/s.exec(xml)?.[0] ?? '';
  const signatureOf = (xml: string) => /<ds:Signature .*<\/ds:Signature>/s.exec(xml)?.[0] ?? '';
  const forged = (xml: string) =>
    assertionOf(xml)
      .replace(signatureOf(xml), '')
      .replace(/ID="[^"]*"/, 'ID="_forged"')
      .replace('>Subject-1<', '>Root<');
  const other = 'https://somebody.example.com';

  test.each<[string, ResponseOptions]>([
    ['by another provider', { issuer: other }],
    ['for another audience', { audience: other }],
    ['for another recipient', { recipient: other }],
    ['for another destination', { destination: other }],
    ['that tells of a failure', { status: 'urn:oasis:names:tc:SAML:2.0:status:Requester' }],
    ['that is over', { until: 0 }],
    ['whose confirmation is over', { confirmedUntil: 0 }],
    ['that has not begun', { notBefore: 61 }],
    ['that confirms in another way', { method: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches' }],
    [
      'without a confirmation',
      { before: (xml) => xml.replace(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, '') },
    ],
    ['without a recipient', { before: (xml) => xml.replace(/ Recipient="[^"]*"/, '') }],
    ['that is confirmed for ever', { before: (xml) => xml.replace(/(Recipient="[^"]*") NotOnOrAfter="[^"]*"/, '$1') }],
    ['without conditions', { before: (xml) => xml.replace(/<saml:Conditions .*<\/saml:Conditions>/, '') }],
    [
      'without an audience',
      { before: (xml) => xml.replace(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, '') },
    ],
    ['with a time that is none', { before: (xml) => xml.replace(/NotBefore="[^"]*"/, 'NotBefore="yesterday"') }],
    ['of nobody', { nameId: '' }],
    ['of somebody with a name of two lines', { nameId: 'Subject-1&#10;' }],
    [
      'without an id',
      { before: (xml) => xml.replace(/<saml:Assertion ID="[^"]*"/, '<saml:Assertion'), sign: ['Response'] },
    ],
    ['with two subjects', { before: (xml) => xml.replace('</saml:Subject>', '</saml:Subject><saml:Subject/>') }],
    ['signed by another key', { key: otherSigning }],
    ['signed with SHA-1', { hash: 'sha1' }],
    ['not signed', { sign: [] }],
    ['whose signature was taken away', { after: (xml) => xml.replace(signatureOf(xml), '') }],
    ['changed after it was signed', { after: (xml) => xml.replace('>Subject-1<', '>Root<') }],
    [
      'whose response was changed, signed as it is besides',
      {
        sign: ['Assertion', 'Response'],
        after: (xml) => xml.replace(/IssueInstant="[^"]*"/, 'IssueInstant="2026-01-01T00:00:00Z"'),
      },
    ],
    [
      'whose value of the signature was changed',
      { after: (xml) => xml.replace(/<ds:SignatureValue>.{4}/, '<ds:SignatureValue>AAAA') },
    ],
    ['whose digest was changed', { after: (xml) => xml.replace(/<ds:DigestValue>.{4}/, '<ds:DigestValue>AAAA') }],
    [
      'with a forged assertion before',
      { after: (xml) => xml.replace('<saml:Assertion ', `${forged(xml)}<saml:Assertion `) },
    ],
    [
      'with a forged assertion behind',
      { after: (xml) => xml.replace('</samlp:Response>', `${forged(xml)}</samlp:Response>`) },
    ],
    [
      'with a forged assertion around',
      {
        after: (xml) =>
          xml.replace(
            assertionOf(xml),
            forged(xml).replace('</saml:Assertion>', `<saml:Advice>${assertionOf(xml)}</saml:Advice></saml:Assertion>`),
          ),
      },
    ],
    [
      'with a forged assertion that holds the signature with what it signed',
      {
        after: (xml) =>
          xml.replace(
            assertionOf(xml),
            forged(xml).replace(
              '</saml:Issuer>',
              `</saml:Issuer>${signatureOf(xml).replace('</ds:Signature>', `<ds:Object>${assertionOf(xml).replace(signatureOf(xml), '')}</ds:Object></ds:Signature>`)}`,
            ),
          ),
      },
    ],
    [
      'with what was signed in extensions',
      {
        after: (xml) =>
          xml.replace(assertionOf(xml), `<samlp:Extensions>${assertionOf(xml)}</samlp:Extensions>${forged(xml)}`),
      },
    ],
    [
      'with a forged assertion of another case',
      {
        after: (xml) =>
          xml.replace(
            '<saml:Assertion ',
            `${forged(xml).replaceAll('saml:Assertion', 'saml:assertion')}<saml:Assertion `,
          ),
      },
    ],
    [
      'with an id twice',
      { after: (xml) => xml.replace('<samlp:Status>', `<samlp:Status ID="${/_assertion-\d+/.exec(xml)?.[0]}">`) },
    ],
    ['with two signatures', { after: (xml) => xml.replace(signatureOf(xml), signatureOf(xml) + signatureOf(xml)) }],
    [
      'with its signature elsewhere',
      {
        after: (xml) =>
          xml.replace(signatureOf(xml), '').replace('<samlp:Status>', `${signatureOf(xml)}<samlp:Status>`),
      },
    ],
    [
      'with a shared secret for a key',
      { after: (xml) => xml.replace('2001/04/xmldsig-more#rsa-sha256', '2000/09/xmldsig#hmac-sha1') },
    ],
    [
      'with SHA-1 written in another way',
      { hash: 'sha1', after: (xml) => xml.replaceAll('#rsa-sha1', '#rsa-sha&#49;') },
    ],
    ['with a comment in the name', { after: (xml) => xml.replace('>Subject-1<', '>Subject-1<!-- -->.evil<') }],
    ['with a comment that changes nothing', { after: (xml) => xml.replace('>Subject-1<', '>Subject<!-- -->-1<') }],
    ['with a comment that was signed', { before: (xml) => xml.replace('>Subject-1<', '>Subject<!-- -->-1<') }],
    ['with CDATA', { before: (xml) => xml.replace('>Subject-1<', '><![CDATA[Subject-1]]><') }],
    ['with a document type', { after: (xml) => xml.replace('?>', '?><!DOCTYPE r>') }],
    [
      'with entities',
      { after: (xml) => xml.replace('?>', '?><!DOCTYPE r [<!ENTITY e "Root">]>').replace('>Subject-1<', '>&e;<') },
    ],
    [
      'with an entity from a file',
      { after: (xml) => xml.replace('?>', '?><!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/hostname">]>') },
    ],
    ['with an entity that is not there', { after: (xml) => xml.replace('>Subject-1<', '>&e;<') }],
    ['with a processing instruction', { after: (xml) => xml.replace('<samlp:Status>', '<?run it?><samlp:Status>') }],
    ['with an attribute without quotes', { after: (xml) => xml.replace('Version="2.0"', 'Version=2.0') }],
    ['with two roots', { after: (xml) => `${xml}<more/>` }],
    ['with text behind', { after: (xml) => `${xml}more` }],
    ['with tags that do not close', { after: (xml) => xml.replace('</samlp:Status>', '') }],
    ['that is cut', { after: (xml) => xml.slice(0, -20) }],
    [
      'that is too deep',
      { after: (xml) => xml.replace('<samlp:Status>', `${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}<samlp:Status>`) },
    ],
    ['that is something else', { after: (xml) => xml.replaceAll('samlp:Response', 'samlp:LogoutResponse') }],
    ['with an encrypted assertion', { after: (xml) => xml.replaceAll('saml:Assertion', 'saml:EncryptedAssertion') }],
  ])('%s', async (_, options) => {
    await using server = await start({
      users: [linked, { userId: 'root', userName: 'root', identities: [`${name}:Root`] }],
    });
    await expectRefused(server, samlResponse(server, options));
  });

  test('whose provider has a weak key', async () => {
    await using server = await start({ providers: [{ ...provider, certificates: [weakSigning.pem] }] });
    await expectRefused(server, samlResponse(server, { key: weakSigning }));
  });

  test('whose provider is gone', async () => {
    await using server = await start();
    await server.appContext.store.transaction((tx) => tx.providers.delete(name));
    await expectRefused(server, samlResponse(server));
  });

  test('that is for the server under another name', async () => {
    await using server = await start();
    await expectRefused(
      server,
      samlResponse(server, { recipient: recipientOf(server).replace('127.0.0.1', 'localhost') }),
    );
  });

  test('that goes by a clock of its own', async () => {
    await using server = await start();
    const response = samlResponse(server, { notBefore: 60 });
    server.clock.advance(300);
    await expectRefused(server, response);
  });

  test('with any byte changed of what was signed, or of the signature', async () => {
    await using server = await start();
    const xml = samlXml(server, { sign: ['Response'] });
    const outside = [/^<\?xml.*?\?>/s, /<ds:KeyInfo>.*<\/ds:KeyInfo>/s].map((part) => part.exec(xml));
    const counts = (at: number) =>
      outside.every((part) => !part || at < part.index || at >= part.index + part[0].length);
    for (let at = 0; at < xml.length; at += 31) {
      if (!counts(at)) continue;
      const spoilt = Buffer.from(xml);
      spoilt.writeUInt8(spoilt.readUInt8(at) ^ 4, at);
      await expectRefused(server, spoilt.toString('base64')).catch((error: unknown) => {
        throw new Error(`at ${at}: ${xml.slice(at - 20, at + 20)}`, { cause: error });
      });
    }
  });

  test('without a word in the output of the process', async () => {
    await using server = await start();
    const seen: unknown[] = [];
    const { warn, error } = console;
    Object.assign(console, {
      warn: (...text: unknown[]) => seen.push(text),
      error: (...text: unknown[]) => seen.push(text),
    });
    try {
      for (const after of [
        (xml: string) => xml.replace('Version="2.0"', 'Version=2.0'),
        (xml: string) => xml.replace('>Subject-1<', '>&nothing;<'),
        (xml: string) => xml.slice(0, -5),
      ])
        await expectRefused(server, samlResponse(server, { after }));
    } finally {
      Object.assign(console, { warn, error });
    }
    expect(seen).toEqual([]);
  });
});

describe('the user', () => {
  test.each<[string, ResponseOptions]>([
    ['an attribute email', byEmail],
    ['an attribute mail', { nameId: 'new', attributes: { mail: ['ALICE@example.com'] } }],
    ['two attributes that agree', { nameId: 'new', attributes: { mail: [alice.userEmail], email: [alice.userEmail] } }],
    ['the name itself', { nameId: alice.userEmail, format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' }],
  ])('is found by the verified e-mail of %s, and from then on by its link', async (_, options) => {
    await using server = await start();
    await logIn(server, samlResponse(server, options));
    const { nameId = '' } = options;
    expect(await server.appContext.store.users.get(alice.userId)).toMatchObject({
      identities: [`${name}:Subject-1`, `${name}:${nameId}`],
    });
    expect(readClaims(await logIn(server, samlResponse(server, { nameId })))).toMatchObject({ sub: alice.userId });
  });

  test('is not linked to a name that is another the next time', async () => {
    await using server = await start();
    const format = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
    await logIn(server, samlResponse(server, { ...byEmail, format }));
    expect(await server.appContext.store.users.get(alice.userId)).toMatchObject({ identities: linked.identities });
    await expectRefused(server, samlResponse(server, { format }), unknown);
  });

  test.each<[string, ResponseOptions]>([
    ['of another domain', { attributes: { email: ['alice@example.org'] } }],
    ['that nobody has', { attributes: { email: ['nobody@example.com'] } }],
    ['beside another one', { attributes: { email: [alice.userEmail, 'bob@example.com'] } }],
    ['under another name', { attributes: { Email: [alice.userEmail] } }],
    ['as a name of another format', { nameId: alice.userEmail }],
    ['that is a user name', { attributes: { email: ['named@example.com'] } }],
  ])('is not found by an e-mail %s', async (_, options) => {
    await using server = await start({ users: [linked, { userId: 'named', userName: 'named@example.com' }] });
    await expectRefused(server, samlResponse(server, { nameId: 'new', ...options }), unknown);
  });

  test('is not another one whose link differs by case', async () => {
    await using server = await start();
    for (const nameId of ['SUBJECT-1', 'subject-1'])
      await expectRefused(server, samlResponse(server, { ...byEmail, nameId }), unknown);
  });

  test.each(['ADMIN', 'IAM_ADMIN_READ_ONLY'])(
    'who holds %s gets no link by an e-mail: as if there were none',
    async (role) => {
      await using server = await start({
        users: [linked],
        groups: [{ groupName: 'g', roles: [role], users: [alice.userId] }],
      });
      const format = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
      for (const options of [byEmail, { ...byEmail, format }])
        await expectRefused(server, samlResponse(server, options), unknown);
      await logIn(server, samlResponse(server));
    },
  );

  test('is refused while locked, however it is found', async () => {
    await using server = await start({ users: [{ ...linked, locked: true }] });
    await expectRefused(server, samlResponse(server));
    await expectRefused(server, samlResponse(server, byEmail));
  });
});

test.each(['lock', 'provider gone'])('a %s meanwhile stops the login', async (event) => {
  await using server = await start();
  const { store, providers } = server.appContext;
  const { verifySamlResponse: verify } = providers;
  const meanwhile: typeof verify = async (...given) => {
    const proof = await verify(...given);
    if (event === 'lock') await server.admin.userIdentities.lock({ body: { userId: alice.userId } });
    else await store.transaction((tx) => tx.providers.delete(name));
    return proof;
  };
  Object.assign(server.appContext, { providers: { ...providers, verifySamlResponse: meanwhile } });
  const failure = await catchClientError(logIn(server, samlResponse(server)));
  expect(failure).toMatchObject({ status: 401, code: 'PROOF_INVALID' });
  expect(await store.sessions.count()).toBe(0);
});

describe('the call', () => {
  const path = `/user-identities/renew-app-token?clientId=${appClientId}`;

  test('is refused as malformed without what it needs, with more, or with what is no base64', async () => {
    await using server = await start();
    const response = samlResponse(server);
    for (const wrong of [
      {},
      { relayState: '' },
      { samlResponse: 7 },
      { samlResponse: response, more: 1 },
      { samlResponse: '<xml/>' },
      { samlResponse: `${response}-_` },
    ])
      expect(await postJson(server, path, wrong)).toMatchObject({ status: 400 });
  });

  test('is refused with more than a response may be: 422', async () => {
    await using server = await start();
    for (const wrong of [
      { samlResponse: 'A'.repeat(100_001) },
      { samlResponse: '' },
      { samlResponse: 'AAAA', relayState: 'x'.repeat(2001) },
    ])
      expect(await postJson(server, path, wrong)).toMatchObject({ status: 422, json: [{ code: 'FIELD_VALUE' }] });
  });

  test('is refused with base64 of anything', async () => {
    await using server = await start();
    for (const text of [
      'A',
      'nothing',
      '<',
      '<a>',
      '<a/>',
      '\ufeff<a/>',
      '<Response/>',
      '<Response><Assertion/></Response>',
      '\0',
    ])
      await expectRefused(server, Buffer.from(text).toString('base64'));
    await expectRefused(server, Buffer.from([0xff, 0xfe, 0x3c, 0]).toString('base64'));
  });
});
