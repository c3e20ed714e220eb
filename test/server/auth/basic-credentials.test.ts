/** Parsing of Authorization: Basic: the name up to the first colon, then the secret, in UTF-8. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCredentials } from '../../../src/server/auth/credentials.ts';
import { hashSecret } from '../../../src/server/lib/secrets.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { formatBasicHeader, invalidCredentials, loginWithHeaders, sendWithHeaders } from './auth-requests.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

function encoded(bytes: Buffer | string): string {
  return `Authorization: Basic ${Buffer.from(bytes).toString('base64')}`;
}

test.each(['with:colon', ':', '::leading', 'naïve 日本語 🔑', ' blanks around ', 'quote"back\\slash', '%2B+%20', ''])(
  'accepts the secret %j unchanged',
  async (secret) => {
    const { clientId } = await server.makeClient({ authorities: ['AUTH-BASIC', 'ADMIN'] });
    await server.appContext.store.transaction(async (tx) => {
      const row = await tx.clients.get(clientId);
      if (row) await tx.clients.replace({ ...row, secretHash: hashSecret(secret) });
    });
    expect(await sendWithHeaders(server, [formatBasicHeader(clientId, secret)])).toMatchObject({ status: 200 });
    expect(await sendWithHeaders(server, [formatBasicHeader(clientId, `${secret} `)])).toEqual(invalidCredentials);
    expect(
      await sendWithHeaders(server, [
        formatBasicHeader(clientId, secret.toUpperCase() === secret ? `${secret}x` : secret.toUpperCase()),
      ]),
    ).toEqual(invalidCredentials);
  },
);

describe('rejects malformed credentials with a challenge', () => {
  const odd: [string, string][] = [
    ['no colon', encoded('test-admin')],
    ['nothing', encoded('')],
    ['only a colon', encoded(':')],
    ['no name', encoded(':secret')],
    ['no base64', 'Authorization: Basic test-admin:secret'],
    ['broken base64', 'Authorization: Basic dGVzdC1hZG1pbjp4====='],
    ['base64 of half a character', 'Authorization: Basic d'],
    ['two values', 'Authorization: Basic dGVzdA== dGVzdA=='],
    ['a list', 'Authorization: Basic dDp0, Basic dDp0'],
    ['invalid UTF-8 in the name', encoded(Buffer.from([0xff, 0x3a, 0x61]))],
    ['invalid UTF-8 in the secret', encoded(Buffer.from([0x61, 0x3a, 0xc3, 0x28]))],
    ['a lone surrogate', encoded(Buffer.from([0x61, 0x3a, 0xed, 0xa0, 0x80]))],
    ['the scheme alone', 'Authorization: Basic'],
    ['the scheme and blanks', 'Authorization: Basic   '],
  ];
  test.each(odd)('%s', async (_what, line) => {
    expect(await sendWithHeaders(server, [line])).toEqual(invalidCredentials);
    expect(await loginWithHeaders(server, [line])).toEqual(invalidCredentials);
  });
});

test.each<[string, Buffer | string, RegExp]>([
  ['Latin-1 in the secret', Buffer.from('web:p\u00e4ss', 'latin1'), /not UTF-8/],
  ['Latin-1 in the name', Buffer.from('w\u00e4b:pass', 'latin1'), /not UTF-8/],
  ['Windows-1252', Buffer.from([0x61, 0x3a, 0x80]), /not UTF-8/],
  ['a part of a letter', Buffer.from([0x61, 0x3a, 0xc3]), /not UTF-8/],
  ['U+0000', 'web:pa\0ss', /contain U\+0000/],
  ['no colon', 'web', /base64 of an id, a colon and a secret/],
  ['no id', ':pass', /base64 of an id, a colon and a secret/],
])('the message describes %s', (_what, pair, message) => {
  const authorization = encoded(pair).slice('Authorization: '.length);
  for (const userBasicAuth of [false, true])
    expect(() => readCredentials({ authorization, apiKey: undefined, clientIds: [] }, { userBasicAuth })).toThrow(
      message,
    );
});

test('parses every pair unchanged', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes(':'));
  fc.assert(
    fc.property(name, fc.string({ unit: 'grapheme' }), (id, secret) => {
      const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
      const read = readCredentials({ authorization, apiKey: undefined, clientIds: [] });
      expect(read).toEqual({ basic: { name: id, secret } });
    }),
  );
});

test('returns a credential or a rejection for any input', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `Basic ${text}`),
        fc.base64String().map((text) => `Basic ${text}`),
      ),
      (authorization) => {
        try {
          readCredentials({ authorization, apiKey: undefined, clientIds: [] });
        } catch (error) {
          expect(error).toMatchObject({ name: 'IamError', code: 'CREDENTIALS_INVALID' });
        }
      },
    ),
  );
});
