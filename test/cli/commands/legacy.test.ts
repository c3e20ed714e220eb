import { readFile, stat, writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { startFakeServer } from '../../client/fake-server.ts';
import { iam, test, tokenVariables } from '../run-cli.ts';

const validate = ['products', 'validate', '--product-alias', 'reports', '--sku', 'basic', '--billing-type', 'PREPAID'];

test('products validate prints the token of the header once', async () => {
  await using server = await startFakeServer(() => ({ status: 204, headers: { 'X-Opaque-Token': 'opaque-value' } }));
  const outcome = await iam([...validate, '-o', 'json'], server);
  expect(outcome).toMatchObject({ code: 0, out: '{\n  "opaqueToken": "opaque-value"\n}\n' });
  expect(outcome.err).toContain('Copy the opaque token now');
  expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
    productAlias: 'reports',
    sku: 'basic',
    billingType: 'PREPAID',
  });
});

test('products validate writes the token to a private file', async ({ home }) => {
  await using server = await startFakeServer(() => ({ status: 204, headers: { 'x-opaque-token': 'opaque-value' } }));
  const outcome = await home.iam([...validate, '--secret-output', home.file('token')], {
    ...server,
    variables: tokenVariables,
  });
  expect(outcome.code).toBe(0);
  expect(outcome.out + outcome.err).not.toContain('opaque-value');
  expect(await readFile(home.file('token'), 'utf8')).toBe('opaque-value\n');
  expect((await stat(home.file('token'))).mode & 0o777).toBe(0o600);
});

test('products authorize sends the product and remember-me', async () => {
  await using server = await startFakeServer(() => ({
    status: 201,
    json: { opaqueToken: 'opaque-value', expiresIn: '600' },
  }));
  const words = ['products', 'authorize', '--product-id', 'p1', '--is-external-order', '--remember-me', '-o', 'json'];
  expect(await iam(words, server)).toMatchObject({ code: 0, out: expect.stringContaining('opaque-value') });
  const [{ path, body = '' } = { path: '' }] = server.received;
  expect(path).toBe('/security/iam/v1/product-accesses/authorize?remember-me=true');
  expect(JSON.parse(body)).toEqual({ productId: 'p1', isExternalOrder: true });
});

test('users provision-logon reads the first password from a file', async ({ home }) => {
  await using server = await startFakeServer(() => ({ status: 201, json: { logon: 'SMITH01' } }));
  await writeFile(home.file('first'), 'FIRST#1\n');
  const words = ['users', 'provision-logon', 'u1', '--logon', 'smith01', '--password-file', home.file('first')];
  const outcome = await home.iam([...words, '-o', 'json'], { ...server, variables: tokenVariables });
  expect(outcome).toMatchObject({ code: 0, out: '{\n  "logon": "SMITH01"\n}\n' });
  expect(server.received[0]).toMatchObject({
    path: '/security/iam/v1/user-identities/u1/legacy-logons',
    body: '{"logon":"smith01","password":"FIRST#1"}',
  });
});
