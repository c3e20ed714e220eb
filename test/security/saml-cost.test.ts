/**
 * What a SAML response may cost that nobody signed: 92 kB of elements once took 53 s in the XML libraries, in which
 * nobody else was answered. What is larger than any provider sends is refused before they see it; the worst that is
 * left costs a few times what a common response does.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifySamlResponse } from '../../src/server/integrations/providers/saml.ts';
import type { Provider } from '../../src/server/store/tables.ts';
import { appClientId, startServer, type TestServer } from '../harness.ts';
import {
  audience,
  entityId,
  otherSigning,
  type ResponseOptions,
  recipientOf,
  samlResponse,
  signing,
} from '../server/integrations/providers/saml-responses.ts';
import {
  attributeValues,
  inAssertion,
  inSignature,
  repeat,
  worstResponses,
} from '../server/integrations/providers/worst-responses.ts';
import { catchClientError } from '../server/operations/access.ts';
import { alice } from '../server/operations/user-identities/login-fixtures.ts';
import { measureCost } from './measure-cost.ts';

const name = 'idp';
const provider = {
  kind: 'saml' as const,
  name,
  entityId,
  certificates: [signing.pem],
  audience,
  emailDomains: ['example.com'],
};

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    seed: { users: [{ ...alice, identities: [`${name}:Subject-1`] }], providers: [provider] },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

function logIn(response: string) {
  return server.as().userIdentities.renewAppToken({
    query: { clientId: appClientId },
    body: { samlResponse: response },
  });
}

/** Signed as it should be, but with a key that is not the provider's: as far as a stranger comes. */
const foreign = (options: ResponseOptions = {}) => samlResponse(server, { key: otherSigning, ...options });
/** How often a library saw the response: it is asked only where a provider is looked for. */
async function seenByLibraries(encoded: string): Promise<number> {
  let times = 0;
  const find = async (): Promise<Provider[]> => {
    times += 1;
    return [];
  };
  const providers = { find } as never;
  await verifySamlResponse(encoded, { reader: { providers }, recipient: recipientOf(server), now: 0 });
  return times;
}

describe('what is larger than any provider sends goes to no library', () => {
  test.each<[string, ResponseOptions]>([
    ['elements', inAssertion(`<a>${'<b/>'.repeat(400)}</a>`)],
    ['names of elements', inAssertion(`<a>${repeat(64, (at) => `<b${at}/>`)}</a>`)],
    ['depth', inAssertion('<a>'.repeat(15) + '</a>'.repeat(15))],
    ['attributes of one element', inAssertion(`<a ${repeat(17, (at) => `b${at}="" `)}/>`)],
    ['attributes', inAssertion(repeat(55, () => `<a ${repeat(16, (at) => `b${at}="" `)}/>`))],
    ['name spaces of one element', inAssertion(`<a ${repeat(17, (at) => `xmlns:b${at}="u" `)}/>`)],
    ['name spaces', inAssertion(repeat(51, () => `<a ${repeat(16, (at) => `xmlns:b${at}="u" `)}/>`))],
    ['a long name space', inAssertion(`<a xmlns:b="${'u'.repeat(257)}"/>`)],
    ['elements of a signature', inSignature(`<ds:KeyInfo>${'<ds:X509Data/>'.repeat(40)}</ds:KeyInfo>`)],
    [
      'references of a signature',
      { after: (xml) => xml.replace(/<ds:Reference .*?<\/ds:Reference>/, (found) => found + found) },
    ],
    ['a list of prefixes', inAssertion(`<a PrefixList="${'a '.repeat(129)}"/>`)],
  ])('%s', async (_, options) => {
    expect(await seenByLibraries(foreign(options))).toBe(0);
    const before = await server.dump();
    expect(await catchClientError(logIn(foreign(options)))).toMatchObject({ status: 401, code: 'PROOF_INVALID' });
    expect(await server.dump()).toEqual(before);
  });

  test('and what is within the limits does', async () => {
    expect(await seenByLibraries(foreign(inAssertion(`<a>${'<b/>'.repeat(300)}</a>`)))).toBe(1);
  });
});

describe('cost', () => {
  test('many elements cost less than the check of a common response', async () => {
    const hostile = foreign({
      after: (xml) => xml.replace('</saml:Assertion>', `${'<a/>'.repeat(15_000)}</saml:Assertion>`),
    });
    expect(hostile.length).toBeGreaterThan(80_000);
    const common = await measureCost(() => catchClientError(logIn(foreign())));
    expect(await measureCost(() => catchClientError(logIn(hostile)), 3)).toBeLessThan(5 * common);
  });

  test.each(worstResponses)(
    'the most of these costs a few times what a common response does: %s',
    async (_, options) => {
      const hostile = samlResponse(server, options);
      expect(hostile.length).toBeLessThanOrEqual(100_000);
      expect(await seenByLibraries(hostile)).toBe(1);
      const common = await measureCost(() => catchClientError(logIn(foreign())));
      expect(await measureCost(() => catchClientError(logIn(hostile)), 3)).toBeLessThan(40 * common);
    },
  );

  test('others are answered while it is checked', async () => {
    const hostile = foreign(inAssertion(`<a>${'<b/>'.repeat(345)}</a>`));
    const attacks = Array.from({ length: 4 }, () => catchClientError(logIn(hostile)));
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await Promise.all(attacks);
  });
});

test('a user in 150 groups, each with its type, logs in', async () => {
  expect((await logIn(samlResponse(server, inAssertion(attributeValues(150))))).accessToken).toBeDefined();
});

test('the second certificate of a provider counts as the first does', async () => {
  await using both = await startServer({
    seed: {
      users: [{ ...alice, identities: [`${name}:Subject-1`] }],
      providers: [{ ...provider, certificates: [otherSigning.pem, signing.pem] }],
    },
  });
  const token = await both.as().userIdentities.renewAppToken({
    query: { clientId: appClientId },
    body: { samlResponse: samlResponse(both, { sign: ['Assertion', 'Response'] }) },
  });
  expect(token.accessToken).toBeDefined();
});
