/** Certificates with as many parts as fit in 16,000 characters. */
import { type CertificateOptions, createCertificate, der, sequence, type TestCertificate } from './certificates.ts';

const bytes = 11_300;
const repeated = (part: Buffer) => Array.from({ length: Math.floor(bytes / part.length) }, () => part);
const extension = (id: string, value: Buffer): CertificateOptions => ({ extensions: [[id, false, value]] });
const names = (part: Buffer) => extension('2.5.29.17', sequence(...repeated(part)));
const nested = (levels: number) => {
  let value = der(0x30);
  for (let level = 1; level < levels; level += 1) value = der(0x30, value);
  return value;
};

const worst: Readonly<Record<string, CertificateOptions>> = {
  'names of hosts': names(der(0x82, Buffer.from('a'))),
  'empty names': names(der(0x82)),
  'names of directories': names(der(0xa4, sequence())),
  'registered names': names(der(0x88, Buffer.from([0x55]))),
  'a long registered name': extension('2.5.29.17', sequence(der(0x88, Buffer.alloc(11_000, 1)))),
  purposes: extension('2.5.29.37', sequence(...repeated(der(0x06, Buffer.from([0x2a]))))),
  'a long purpose': extension('2.5.29.37', sequence(der(0x06, Buffer.alloc(11_000, 1)))),
  policies: extension('2.5.29.32', sequence(...repeated(sequence(der(0x06, Buffer.from([0x2a])))))),
  'places of revocations': extension('2.5.29.31', sequence(...repeated(sequence()))),
  extensions: { extensions: Array.from({ length: 900 }, (_, at) => [`1.2.${at}`, false, Buffer.alloc(0)] as const) },
  levels: extension('1.2.3', nested(2800)),
  'names of indefinite length': extension(
    '2.5.29.17',
    Buffer.concat([Buffer.from([0x30, 0x80]), ...repeated(der(0x82)), Buffer.from([0, 0])]),
  ),
};

/** By the most frequent part. */
export const worstCertificates: readonly (readonly [string, TestCertificate])[] = Object.entries(worst).map(
  ([name, options]) => [name, createCertificate({ purposes: [2], keyUsage: [0], ...options })],
);
