/**
 * Cost of certificates from unauthenticated callers. A certificate with 5,000 empty names in each of six fields once
 * blocked the server for more than a second. A certificate with too many parts is rejected before a library parses it.
 */
import { sign } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseCertificate } from '../../src/server/federation/certificate-parser.ts';
import { isSmallDer } from '../../src/server/federation/der-limits.ts';
import { appClientId, startServer, type TestServer } from '../harness.ts';
import { createAuthority, createCertificate, type TestCertificate } from '../server/federation/certificates.ts';
import { worstCertificates } from '../server/federation/worst-certificates.ts';
import { catchClientError } from '../server/operations/access.ts';
import { maxLinearGrowth, measureCost, measureGrowth } from './measure-cost.ts';

const authority = createAuthority({ name: 'Root' });
const leaf = createCertificate({ issuer: authority, purposes: [2], keyUsage: [0], emails: ['a@example.com'] });

let server: TestServer;
/** A login with a common certificate costs an eighth of this number of milliseconds. */
let enough: number;
beforeAll(async () => {
  server = await startServer({
    seed: { providers: [{ kind: 'certificateAuthority', name: 'root', certificate: authority.pem }] },
  });
  enough = 8 * (await measureCost(() => logIn(leaf, []), { tries: 10 }));
});
afterAll(() => server[Symbol.asyncDispose]());

/** Logs in with a valid signature by a certificate of an unknown user. */
async function logIn(certificate: TestCertificate, chain: readonly TestCertificate[]) {
  const { userIdentities } = server.as();
  const query = { clientId: appClientId };
  const { token } = await userIdentities.certificateToken({ query });
  const signature = sign('sha256', Buffer.from(token), certificate.privateKey).toString('base64');
  const base64 = ({ der }: TestCertificate) => der.toString('base64');
  const body = { token, certificate: base64(certificate), chain: chain.map(base64), signature };
  return catchClientError(userIdentities.certificateLogin({ query, body }));
}

test.each(worstCertificates)(
  'rejects the most expensive certificates before a library parses them: %s',
  async (_, certificate) => {
    expect(certificate.der.toString('base64').length).toBeLessThanOrEqual(16_000);
    expect(isSmallDer(certificate.der)).toBe(false);
    expect(parseCertificate(certificate.pem)).toBeUndefined();
  },
);

test.each(worstCertificates)(
  'costs no more than a common certificate, as a leaf and in a chain: %s',
  async (_, hostile) => {
    const chain = Array.from({ length: 5 }, () => hostile);
    expect(await logIn(leaf, chain)).toMatchObject({ status: 401, code: 'PROOF_INVALID' });
    expect(await measureCost(() => logIn(leaf, chain), { enough })).toBeLessThan(enough);
    expect(await measureCost(() => logIn(hostile, chain), { enough })).toBeLessThan(enough);
  },
);

test('rejects a common certificate of an unknown user', async () => {
  expect(await logIn(leaf, [])).toMatchObject({ status: 401, code: 'PROOF_INVALID' });
});

test('parses a certificate with a hundred names', () => {
  const emails = Array.from({ length: 100 }, (_, at) => `name-${at}@example.com`);
  expect(parseCertificate(createCertificate({ emails }).pem)?.emails).toEqual(emails);
});

test('counts the parts in one pass', async () => {
  const zeros = (size: number) => Buffer.alloc(size);
  expect(await measureGrowth(zeros, isSmallDer, 1_000_000)).toBeLessThan(maxLinearGrowth);
});
