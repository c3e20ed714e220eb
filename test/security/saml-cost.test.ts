/**
 * Cost of SAML responses without a valid signature: 92 kB of elements once blocked the server for 53 s in the XML
 * libraries. A response that is larger than any provider sends is rejected before the libraries parse it; the most
 * expensive response within the limits costs a few times as much as a common one.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifySamlResponse } from '../../src/server/federation/saml.ts';
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
} from '../server/federation/saml-responses.ts';
import {
  attributeValues,
  inAssertion,
  inSignature,
  repeat,
  worstResponses,
} from '../server/federation/worst-responses.ts';
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
/** The cost of a common response, in milliseconds. */
let common: number;
beforeAll(async () => {
  server = await startServer({
    seed: { users: [{ ...alice, identities: [`${name}:Subject-1`] }], providers: [provider] },
  });
  common = await measureCost(() => catchClientError(logIn(wronglySigned())), { tries: 10 });
});
afterAll(() => server[Symbol.asyncDispose]());

function logIn(response: string) {
  return server.as().userIdentities.renewAppToken({
    query: { clientId: appClientId },
    body: { samlResponse: response },
  });
}

/** Signs a response with a key other than the provider's. */
const wronglySigned = (options: ResponseOptions = {}) => samlResponse(server, { key: otherSigning, ...options });
/** Counts the responses that reach a library: each one looks up the provider. */
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

describe('rejects a response beyond the limits before a library parses it', () => {
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
    expect(await seenByLibraries(wronglySigned(options))).toBe(0);
    const before = await server.dump();
    expect(await catchClientError(logIn(wronglySigned(options)))).toMatchObject({ status: 401, code: 'PROOF_INVALID' });
    expect(await server.dump()).toEqual(before);
  });

  test('passes a response within the limits to the library', async () => {
    expect(await seenByLibraries(wronglySigned(inAssertion(`<a>${'<b/>'.repeat(300)}</a>`)))).toBe(1);
  });
});

describe('the cost of a SAML response', () => {
  test('is at most a few times that of a common one for many elements', async () => {
    const hostile = wronglySigned({
      after: (xml) => xml.replace('</saml:Assertion>', `${'<a/>'.repeat(15_000)}</saml:Assertion>`),
    });
    expect(hostile.length).toBeGreaterThan(80_000);
    const enough = 5 * common;
    expect(await measureCost(() => catchClientError(logIn(hostile)), { enough })).toBeLessThan(enough);
  });

  test.each(worstResponses)(
    'is a few times that of a common one for the most expensive responses: %s',
    async (_, options) => {
      const hostile = samlResponse(server, options);
      expect(hostile.length).toBeLessThanOrEqual(100_000);
      expect(await seenByLibraries(hostile)).toBe(1);
      const enough = 40 * common;
      expect(await measureCost(() => catchClientError(logIn(hostile)), { enough })).toBeLessThan(enough);
    },
  );

  test('is low enough to respond to other requests during the check', async () => {
    const hostile = wronglySigned(inAssertion(`<a>${'<b/>'.repeat(345)}</a>`));
    const attacks = Array.from({ length: 4 }, () => catchClientError(logIn(hostile)));
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await Promise.all(attacks);
  });
});

test('logs in a user with 150 groups, each with a type', async () => {
  expect((await logIn(samlResponse(server, inAssertion(attributeValues(150))))).accessToken).toBeDefined();
});

test('accepts a signature by the second certificate of a provider', async () => {
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
