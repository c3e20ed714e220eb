import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { isFullRun, rounds } from '../../../effort.ts';
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
} from '../../federation/saml-responses.ts';
import { catchClientError, sharedServer } from '../access.ts';
import { alice, readClaims, readRoles } from './login-fixtures.ts';

const name = 'idp';
const identities = [`${name}:Subject-1`];
const linked = { ...alice, identities };
/** In place of Alice, who has no link then. */
const holder = { userId: 'holder', userName: 'holder', identities };
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

/** Expects that the response is rejected, by default as an invalid assertion, and leaves the store unchanged. */
async function expectRejected(server: TestServer, response: string, expected: object = invalid): Promise<void> {
  const before = await server.dump();
  const failure = await catchClientError(logIn(server, response));
  expect({ status: failure.status, code: failure.code, items: failure.items }).toMatchObject(expected);
  expect(await server.dump()).toEqual(before);
}

describe('a valid response', () => {
  test('logs the linked user in with the level of a password and without a refresh token', async () => {
    await using server = await start();
    const token = await logIn(server, samlResponse(server));
    expect(readClaims(token)).toMatchObject({ sub: alice.userId, client_id: appClientId });
    expect(readRoles(token)).toContain('AUTH-BASIC');
    expect(readRoles(token)).not.toContain('AUTH-MFA');
    expect(token.refreshToken).toBeUndefined();
  });

  test.each<[string, ResponseOptions]>([
    ['with a signed response', { sign: ['Response'] }],
    ['with a signed response and assertion', { sign: ['Assertion', 'Response'] }],
    ['with a SHA-512 signature', { hash: 'sha512' }],
    ['without a destination', { before: (xml) => xml.replace(/ Destination="[^"]*"/, '') }],
    [
      'without an issuer outside of the assertion',
      { before: (xml) => xml.replace(/<saml:Issuer>.*?<\/saml:Issuer>/, '') },
    ],
    ['with line breaks', { before: (xml) => xml.replaceAll('><', '>\n  <') }],
    ['with an unknown InResponseTo', { before: (xml) => xml.replace(' Version', ' InResponseTo="_1" Version') }],
    [
      'with conditions that do not expire',
      { before: (xml) => xml.replace(/<saml:Conditions [^>]*>/, '<saml:Conditions>') },
    ],
  ])('is accepted %s', async (_, options) => {
    await using server = await start();
    await expect(logIn(server, samlResponse(server, options))).resolves.toBeDefined();
  });

  test('is accepted with line breaks in the base64', async () => {
    await using server = await start();
    const response = samlResponse(server).replaceAll(/.{76}/g, '$&\r\n');
    await expect(logIn(server, response)).resolves.toBeDefined();
  });

  test('is accepted with a signature of any configured key of the provider', async () => {
    const certificates = [otherSigning.der.toString('base64'), signing.pem];
    await using server = await start({ providers: [{ ...provider, certificates }] });
    for (const key of [signing, otherSigning])
      await expect(logIn(server, samlResponse(server, { key }))).resolves.toBeDefined();
  });
});

describe('a response is accepted once', () => {
  test('in sequence', async () => {
    await using server = await start();
    const response = samlResponse(server);
    await logIn(server, response);
    await expectRejected(server, response);
    server.clock.advance(299);
    await expectRejected(server, response);
  });

  test('in concurrent requests', async () => {
    await using server = await start({ users: [alice] });
    const response = samlResponse(server, byEmail);
    const requests = await Promise.allSettled(Array.from({ length: rounds(100) }, () => logIn(server, response)));
    expect(requests.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await server.appContext.store.sessions.count()).toBe(1);
  });

  test('also if its assertion is in another response or has another encoding', async () => {
    await using server = await start();
    const xml = samlXml(server);
    await logIn(server, Buffer.from(xml).toString('base64'));
    for (const other of [xml.replace('_response-', '_another-'), `${xml}\n`, xml.replace('?>', '?>\n')])
      await expectRejected(server, Buffer.from(other).toString('base64'));
  });

  test('but is not consumed if its subject is unknown', async () => {
    await using server = await start();
    const response = samlResponse(server, { nameId: 'unlinked subject' });
    await expectRejected(server, response, unknown);
    await server.admin.userIdentities.addIdentity({
      params: { id: alice.userId },
      body: { identity: `${name}:unlinked subject` },
    });
    await expect(logIn(server, response)).resolves.toBeDefined();
  });
});

describe('rejects a response', () => {
  const assertionOf = (xml: string) => /<saml:Assertion .*<\/saml:Assertion>/s.exec(xml)?.[0] ?? '';
  const signatureOf = (xml: string) => /<ds:Signature .*<\/ds:Signature>/s.exec(xml)?.[0] ?? '';
  const forged = (xml: string) =>
    assertionOf(xml)
      .replace(signatureOf(xml), '')
      .replace(/ID="[^"]*"/, 'ID="_forged"')
      .replace('>Subject-1<', '>Root<');
  const other = 'https://other.example.com';
  const root = { userId: 'root', userName: 'root', identities: [`${name}:Root`] };
  const shared = sharedServer(() => start({ users: [linked, root] }));

  test.each<[string, ResponseOptions]>([
    ['of another provider', { issuer: other }],
    ['for another audience', { audience: other }],
    ['for another recipient', { recipient: other }],
    ['for another destination', { destination: other }],
    ['with a failure status', { status: 'urn:oasis:names:tc:SAML:2.0:status:Requester' }],
    ['that has expired', { until: 0 }],
    ['with an expired confirmation', { confirmedUntil: 0 }],
    ['that is not yet valid', { notBefore: 61 }],
    ['with another confirmation method', { method: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches' }],
    [
      'without a confirmation',
      { before: (xml) => xml.replace(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, '') },
    ],
    ['without a recipient', { before: (xml) => xml.replace(/ Recipient="[^"]*"/, '') }],
    [
      'with a confirmation that does not expire',
      { before: (xml) => xml.replace(/(Recipient="[^"]*") NotOnOrAfter="[^"]*"/, '$1') },
    ],
    ['without conditions', { before: (xml) => xml.replace(/<saml:Conditions .*<\/saml:Conditions>/, '') }],
    [
      'without an audience',
      { before: (xml) => xml.replace(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, '') },
    ],
    ['with an invalid time', { before: (xml) => xml.replace(/NotBefore="[^"]*"/, 'NotBefore="yesterday"') }],
    ['with an empty subject', { nameId: '' }],
    ['with a line break in the subject', { nameId: 'Subject-1&#10;' }],
    [
      'without an id',
      { before: (xml) => xml.replace(/<saml:Assertion ID="[^"]*"/, '<saml:Assertion'), sign: ['Response'] },
    ],
    ['with two subjects', { before: (xml) => xml.replace('</saml:Subject>', '</saml:Subject><saml:Subject/>') }],
    ['signed by another key', { key: otherSigning }],
    ['signed with SHA-1', { hash: 'sha1' }],
    ['not signed', { sign: [] }],
    ['with its signature removed', { after: (xml) => xml.replace(signatureOf(xml), '') }],
    ['with its signed content changed', { after: (xml) => xml.replace('>Subject-1<', '>Root<') }],
    [
      'with the signed response changed around the signed assertion',
      {
        sign: ['Assertion', 'Response'],
        after: (xml) => xml.replace(/IssueInstant="[^"]*"/, 'IssueInstant="2026-01-01T00:00:00Z"'),
      },
    ],
    [
      'with its signature value changed',
      { after: (xml) => xml.replace(/<ds:SignatureValue>.{4}/, '<ds:SignatureValue>AAAA') },
    ],
    ['with its digest changed', { after: (xml) => xml.replace(/<ds:DigestValue>.{4}/, '<ds:DigestValue>AAAA') }],
    [
      'with a forged assertion before the signed one',
      { after: (xml) => xml.replace('<saml:Assertion ', `${forged(xml)}<saml:Assertion `) },
    ],
    [
      'with a forged assertion after the signed one',
      { after: (xml) => xml.replace('</samlp:Response>', `${forged(xml)}</samlp:Response>`) },
    ],
    [
      'with a forged assertion around the signed one',
      {
        after: (xml) =>
          xml.replace(
            assertionOf(xml),
            forged(xml).replace('</saml:Assertion>', `<saml:Advice>${assertionOf(xml)}</saml:Advice></saml:Assertion>`),
          ),
      },
    ],
    [
      'with a forged assertion that contains the signature and the signed assertion',
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
      'with the signed assertion in extensions',
      {
        after: (xml) =>
          xml.replace(assertionOf(xml), `<samlp:Extensions>${assertionOf(xml)}</samlp:Extensions>${forged(xml)}`),
      },
    ],
    [
      'with a forged assertion element in another case',
      {
        after: (xml) =>
          xml.replace(
            '<saml:Assertion ',
            `${forged(xml).replaceAll('saml:Assertion', 'saml:assertion')}<saml:Assertion `,
          ),
      },
    ],
    [
      'with a duplicate id',
      { after: (xml) => xml.replace('<samlp:Status>', `<samlp:Status ID="${/_assertion-\d+/.exec(xml)?.[0]}">`) },
    ],
    ['with two signatures', { after: (xml) => xml.replace(signatureOf(xml), signatureOf(xml) + signatureOf(xml)) }],
    [
      'with its signature in another element',
      {
        after: (xml) =>
          xml.replace(signatureOf(xml), '').replace('<samlp:Status>', `${signatureOf(xml)}<samlp:Status>`),
      },
    ],
    [
      'with an HMAC algorithm',
      { after: (xml) => xml.replace('2001/04/xmldsig-more#rsa-sha256', '2000/09/xmldsig#hmac-sha1') },
    ],
    [
      'with SHA-1 written as a character reference',
      { hash: 'sha1', after: (xml) => xml.replaceAll('#rsa-sha1', '#rsa-sha&#49;') },
    ],
    [
      'with a comment and a suffix in the name',
      { after: (xml) => xml.replace('>Subject-1<', '>Subject-1<!-- -->.evil<') },
    ],
    ['with a comment in the name', { after: (xml) => xml.replace('>Subject-1<', '>Subject<!-- -->-1<') }],
    ['with a signed comment in the name', { before: (xml) => xml.replace('>Subject-1<', '>Subject<!-- -->-1<') }],
    ['with CDATA', { before: (xml) => xml.replace('>Subject-1<', '><![CDATA[Subject-1]]><') }],
    ['with a document type', { after: (xml) => xml.replace('?>', '?><!DOCTYPE r>') }],
    [
      'with entities',
      { after: (xml) => xml.replace('?>', '?><!DOCTYPE r [<!ENTITY e "Root">]>').replace('>Subject-1<', '>&e;<') },
    ],
    [
      'with an external entity',
      { after: (xml) => xml.replace('?>', '?><!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/hostname">]>') },
    ],
    ['with an undefined entity', { after: (xml) => xml.replace('>Subject-1<', '>&e;<') }],
    ['with a processing instruction', { after: (xml) => xml.replace('<samlp:Status>', '<?run it?><samlp:Status>') }],
    ['with an attribute without quotes', { after: (xml) => xml.replace('Version="2.0"', 'Version=2.0') }],
    ['with two roots', { after: (xml) => `${xml}<more/>` }],
    ['with trailing text', { after: (xml) => `${xml}more` }],
    ['with unclosed tags', { after: (xml) => xml.replace('</samlp:Status>', '') }],
    ['that is truncated', { after: (xml) => xml.slice(0, -20) }],
    [
      'that is nested too deeply',
      { after: (xml) => xml.replace('<samlp:Status>', `${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}<samlp:Status>`) },
    ],
    ['with another root element', { after: (xml) => xml.replaceAll('samlp:Response', 'samlp:LogoutResponse') }],
    ['with an encrypted assertion', { after: (xml) => xml.replaceAll('saml:Assertion', 'saml:EncryptedAssertion') }],
  ])('%s', async (_, options) => {
    await expectRejected(shared(), samlResponse(shared(), options));
  });

  test('of a provider with a weak key', async () => {
    await using server = await start({ providers: [{ ...provider, certificates: [weakSigning.pem] }] });
    await expectRejected(server, samlResponse(server, { key: weakSigning }));
  });

  test('of a removed provider', async () => {
    await using server = await start();
    await server.appContext.store.transaction((tx) => tx.providers.delete(name));
    await expectRejected(server, samlResponse(server));
  });

  test('for another host name of the server', async () => {
    await using server = await start();
    await expectRejected(
      server,
      samlResponse(server, { recipient: recipientOf(server).replace('127.0.0.1', 'localhost') }),
    );
  });

  test('that is valid only at another time', async () => {
    await using server = await start();
    const response = samlResponse(server, { notBefore: 60 });
    server.clock.advance(300);
    await expectRejected(server, response);
  });

  test('with any changed byte of the signed content or the signature', async () => {
    await using server = await start();
    const xml = samlXml(server, { sign: ['Response'] });
    const outside = [/^<\?xml.*?\?>/s, /<ds:KeyInfo>.*<\/ds:KeyInfo>/s].map((part) => part.exec(xml));
    const counts = (at: number) =>
      outside.every((part) => !part || at < part.index || at >= part.index + part[0].length);
    for (let at = 0; at < xml.length; at += isFullRun ? 31 : 311) {
      if (!counts(at)) continue;
      const tampered = Buffer.from(xml);
      tampered.writeUInt8(tampered.readUInt8(at) ^ 4, at);
      await expectRejected(server, tampered.toString('base64')).catch((error: unknown) => {
        throw new Error(`at ${at}: ${xml.slice(at - 20, at + 20)}`, { cause: error });
      });
    }
  });

  test('without output of the process', async () => {
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
        await expectRejected(server, samlResponse(server, { after }));
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
    ['the subject name', { nameId: alice.userEmail, format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' }],
  ])('is found by the verified e-mail address of %s once, and then by its link', async (_, options) => {
    await using server = await start({ users: [alice] });
    await logIn(server, samlResponse(server, options));
    const { nameId = '' } = options;
    expect(await server.appContext.store.users.get(alice.userId)).toMatchObject({
      identities: [...alice.identities, `${name}:${nameId}`],
    });
    expect(readClaims(await logIn(server, samlResponse(server, { nameId })))).toMatchObject({ sub: alice.userId });
  });

  const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

  test('is not linked to a transient name', async () => {
    await using server = await start({ users: [alice] });
    await logIn(server, samlResponse(server, { ...byEmail, format: transient }));
    expect(await server.appContext.store.users.get(alice.userId)).toMatchObject({ identities: alice.identities });
    await expectRejected(server, samlResponse(server, { format: transient }), unknown);
  });

  // At the provider, the address can belong to another person now.
  test('is not found by its e-mail address once it has a link to the provider', async () => {
    await using server = await start();
    for (const options of [byEmail, { ...byEmail, format: transient }])
      await expectRejected(server, samlResponse(server, options), unknown);
  });

  const named = { userId: 'named', userName: 'named@example.com' };
  const shared = sharedServer(() => start({ users: [alice, holder, named] }));

  test.each<[string, ResponseOptions]>([
    ['of another domain', { attributes: { email: ['alice@example.org'] } }],
    ['that is unknown', { attributes: { email: ['unknown@example.com'] } }],
    ['next to another address', { attributes: { email: [alice.userEmail, 'bob@example.com'] } }],
    ['in an attribute with another name', { attributes: { Email: [alice.userEmail] } }],
    ['as a name of another format', { nameId: alice.userEmail }],
    ['that is a user name', { attributes: { email: ['named@example.com'] } }],
  ])('is not found by an e-mail address %s', async (_, options) => {
    const server = shared();
    await expectRejected(server, samlResponse(server, { nameId: 'new', ...options }), unknown);
  });

  test('is not found by a link that differs in case', async () => {
    await using server = await start({ users: [alice, holder] });
    for (const nameId of ['SUBJECT-1', 'subject-1'])
      await expectRejected(server, samlResponse(server, { ...byEmail, nameId }), unknown);
  });

  test.each(['ADMIN', 'IAM_ADMIN_READ_ONLY'])(
    'is not linked by an e-mail address with the role %s: same response as for an unknown user',
    async (role) => {
      await using server = await start({
        users: [alice],
        groups: [{ groupName: 'g', roles: [role], users: [alice.userId] }],
      });
      for (const options of [byEmail, { ...byEmail, format: transient }])
        await expectRejected(server, samlResponse(server, options), unknown);
      const link = { params: { id: alice.userId }, body: { identity: `${name}:new` } };
      await server.admin.userIdentities.addIdentity(link);
      await logIn(server, samlResponse(server, byEmail));
    },
  );

  test('is rejected while locked, by link and by e-mail address', async () => {
    await using server = await start({ users: [alice, holder].map((user) => ({ ...user, locked: true })) });
    await expectRejected(server, samlResponse(server));
    await expectRejected(server, samlResponse(server, byEmail));
  });
});

test.each(['lock', 'removal of the provider'])('a %s during the request stops the login', async (event) => {
  await using server = await start();
  const { store, providers } = server.appContext;
  const { verifySamlResponse: verify } = providers;
  const meanwhile: typeof verify = async (...args) => {
    const identity = await verify(...args);
    if (event === 'lock') await server.admin.userIdentities.lock({ body: { userId: alice.userId } });
    else await store.transaction((tx) => tx.providers.delete(name));
    return identity;
  };
  Object.assign(server.appContext, { providers: { ...providers, verifySamlResponse: meanwhile } });
  const failure = await catchClientError(logIn(server, samlResponse(server)));
  expect(failure).toMatchObject({ status: 401, code: 'PROOF_INVALID' });
  expect(await store.sessions.count()).toBe(0);
});

describe('the request', () => {
  test('is rejected if the base64 contains anything else', async () => {
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
      await expectRejected(server, Buffer.from(text).toString('base64'));
    await expectRejected(server, Buffer.from([0xff, 0xfe, 0x3c, 0]).toString('base64'));
  });
});
