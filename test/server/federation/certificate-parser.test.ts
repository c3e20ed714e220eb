/** The certificate parser, compared with OpenSSL for the root certificates of Node. */
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { parseCertificate } from '../../../src/server/federation/certificate-parser.ts';
import { createAuthority, createCertificate } from './certificates.ts';

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
