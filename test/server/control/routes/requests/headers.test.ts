import { expect, test } from 'vitest';
import { adminClient, startServer, type TestServer } from '../../../../harness.ts';
import { send } from '../../control-client.ts';

interface Header {
  readonly name: string;
  readonly value: string;
}

async function readHeaders(server: TestServer, headers: Readonly<Record<string, string>>) {
  const { headers: answered } = await send(server, '/security/iam/v1/groups/unknown', { headers });
  const { body } = await send(server, `/_iam/requests/${answered['x-request-id']}`);
  const { headers: sent, responseHeaders } = body as { headers: Header[]; responseHeaders: Header[] };
  const find = (list: readonly Header[]) => (name: string) =>
    list.find((one) => one.name.toLowerCase() === name.toLowerCase())?.value;
  return { sent: find(sent), answered: find(responseHeaders), text: JSON.stringify(body) };
}

test('a request contains its headers, without credentials and without values of unknown headers', async () => {
  await using server = await startServer();
  const basic = Buffer.from(`${adminClient.clientId}:${adminClient.clientSecret}`).toString('base64');
  const found = await readHeaders(server, {
    Authorization: `Basic ${basic}`,
    Cookie: 'session=canary-cookie',
    'X-API-Key': 'canary-key',
    'X-Custom-Token': 'canary-custom',
    Referer: 'http://x.example/?code=canary-code',
    'User-Agent': 'curl/8',
    Accept: 'application/json',
    'X-Request-Id': 'mine',
  });
  expect(found.text).not.toMatch(new RegExp(`canary|${basic}|${adminClient.clientSecret}`));
  for (const name of ['Authorization', 'Cookie', 'X-API-Key', 'X-Custom-Token', 'Referer'])
    expect(found.sent(name)).toMatch(/^\(.+\)$/);
  expect([found.sent('User-Agent'), found.sent('Accept'), found.sent('X-Request-Id')]).toEqual([
    'curl/8',
    'application/json',
    'mine',
  ]);
  expect(found.answered('Content-Type')).toBe('application/json; charset=utf-8');
  expect(found.answered('Cache-Control')).toBe('no-store');
});

test('a request with many long headers is stored within limits', async () => {
  await using server = await startServer();
  const headers = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`X-H-${at}`, 'v']));
  const { sent, text } = await readHeaders(server, { ...headers, 'User-Agent': 'x'.repeat(5_000) });
  expect((sent('User-Agent') ?? '').length).toBeLessThanOrEqual(1_000);
  expect(text.length).toBeLessThan(20_000);
});
