/** The certificate parser, compared with OpenSSL for the root certificates of Node. */
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { parseCertificate } from '../../../src/server/federation/certificate-parser.ts';
import { createAuthority, createCertificate, der } from './certificates.ts';

test('parses the root certificates of Node as OpenSSL does', () => {
  expect(rootCertificates.length).toBeGreaterThan(50);
  for (const pem of rootCertificates) {
    const known = new X509Certificate(pem);
    const facts = parseCertificate(pem);
    expect(facts, known.subject).toMatchObject({ authority: known.ca, maySignCertificates: true });
    const emails = facts?.emails.map((email) => `email:${email}`) ?? [];
    expect(known.subjectAltName?.split(', ').filter((name) => name.startsWith('email:')) ?? []).toEqual(emails);
    expect(facts?.fingerprint).toBe(known.fingerprint256.replaceAll(':', '').toLowerCase());
    expect(facts?.notBefore).toBeLessThan(facts?.notAfter ?? 0);
  }
});

test('returns the values that a certificate was created with', () => {
  const pem = (options: Parameters<typeof createCertificate>[0]) => createCertificate(options).pem;
  expect(parseCertificate(createAuthority({ pathLength: 3 }).pem)).toMatchObject({ authority: true, pathLength: 3 });
  expect(parseCertificate(createAuthority({ pathLength: 300 }).pem)).toMatchObject({ pathLength: 300 });
  expect(parseCertificate(pem({ keyUsage: [1] }))).toMatchObject({ maySign: true, maySignCertificates: false });
  expect(parseCertificate(pem({ keyUsage: [2] }))).toMatchObject({ maySign: false });
  expect(parseCertificate(pem({ purposes: [1, 4] }))).toMatchObject({ allowsClientAuth: false });
  expect(parseCertificate(pem({ purposes: [4, 2] }))).toMatchObject({ allowsClientAuth: true });
  expect(parseCertificate(pem({ emails: ['a@example.com', 'b@example.com'] }))).toMatchObject({
    emails: ['a@example.com', 'b@example.com'],
  });
  expect(parseCertificate(pem({}))).toMatchObject({
    authority: false,
    maySign: true,
    allowsClientAuth: true,
    strong: true,
  });
});

// About one signature in 500 of RSA with 2048 bits starts like an object identifier or a registered name.
test.each([0x06, 0x88])('parses a certificate whose signature starts like an element with tag %i', (tag) => {
  const { der: bytes } = createCertificate({ name: 'Signed', issuer: createAuthority({ name: 'CA', key: 'rsa' }) });
  const signatureBytes = 256;
  const looksLong = Buffer.from([tag, 127]);
  const changed = Buffer.concat([bytes.subarray(0, -signatureBytes), looksLong, bytes.subarray(2 - signatureBytes)]);
  expect(parseCertificate(changed.toString('base64'))).toMatchObject({ strong: true });
});

test('rejects a long object identifier in a bit string that is no signature', () => {
  const value = der(0x03, Buffer.from([0]), der(0x06, Buffer.alloc(2000, 1)));
  const { pem } = createCertificate({ extensions: [['1.2.3', false, value]] });
  expect(parseCertificate(pem)).toBeUndefined();
});
