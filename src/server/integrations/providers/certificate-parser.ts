/**
 * What a certificate says (RFC 5280), as far as it counts here. Signatures and names are compared by node:crypto, which
 * does not tell of path lengths, key usages and critical extensions: those are read by @peculiar/x509. A module of its
 * own, to be loaded when a certificate has come: with what it stands on it takes longer to load than the server to start.
 */
import 'reflect-metadata/lite';
import { createHash, type X509Certificate } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate as ReadCertificate,
  SubjectAlternativeNameExtension,
} from '@peculiar/x509';
import { decodeCertificate, isStrongKey } from './certificate-encoding.ts';
import { isSmallDer } from './der-limits.ts';

export interface ParsedCertificate {
  readonly x509: X509Certificate;
  /** SHA-256 of the whole certificate, lower-case hexadecimal. */
  readonly fingerprint: string;
  /** Instants, inclusive, in milliseconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** basicConstraints: whether it may issue certificates, and how many authorities may follow below it. */
  readonly authority: boolean;
  readonly pathLength: number | undefined;
  /** keyUsage; without that extension every use is allowed. */
  readonly maySignCertificates: boolean;
  readonly maySign: boolean;
  /** extKeyUsage; without that extension every purpose is allowed. */
  readonly allowsClientAuth: boolean;
  /** The rfc822Names of subjectAltName. */
  readonly emails: readonly string[];
  /** Whether key and signature are of today's strength, and every critical extension is one that is heeded here. */
  readonly strong: boolean;
}

/** The certificate in PEM, or in base64 of DER. Undefined where it is none, too large, or says something twice or unreadably. */
export function parseCertificate(text: string): ParsedCertificate | undefined {
  const x509 = decodeCertificate(text);
  try {
    return x509 && isSmallDer(x509.raw) ? toParsedCertificate(x509, new ReadCertificate(x509.raw)) : undefined;
  } catch {
    return undefined;
  }
}

const nameConstraints = '2.5.29.30';
const anyPurpose = '2.5.29.37.0';
/** Key usage, subjectAltName, basicConstraints, extKeyUsage. */
const supportedExtensions: ReadonlySet<string> = new Set(['2.5.29.15', '2.5.29.17', '2.5.29.19', '2.5.29.37']);
const strongHashes: readonly (string | undefined)[] = ['SHA-256', 'SHA-384', 'SHA-512'];

function toParsedCertificate(x509: X509Certificate, read: ReadCertificate): ParsedCertificate {
  const types = read.extensions.map(({ type }) => type);
  if (new Set(types).size < types.length) throw new Error('an extension is there twice');
  const usages = read.getExtension(KeyUsagesExtension)?.usages;
  const allows = (usage: KeyUsageFlags) => usages === undefined || (usages & usage) !== 0;
  return {
    x509,
    fingerprint: createHash('sha256').update(x509.raw).digest('hex'),
    notBefore: Date.parse(x509.validFrom),
    notAfter: Date.parse(x509.validTo),
    ...parseBasicConstraints(read.getExtension(BasicConstraintsExtension)),
    maySignCertificates: allows(KeyUsageFlags.keyCertSign),
    maySign: allows(KeyUsageFlags.digitalSignature) || allows(KeyUsageFlags.nonRepudiation),
    allowsClientAuth: allowsClientAuth(read.getExtension(ExtendedKeyUsageExtension)),
    emails: readEmails(read.getExtension(SubjectAlternativeNameExtension)),
    strong: isStrongKey(x509) && isStrongSignature(read.signatureAlgorithm) && supportsCriticalExtensions(read),
  };
}

function parseBasicConstraints(
  constraints: BasicConstraintsExtension | null,
): Pick<ParsedCertificate, 'authority' | 'pathLength'> {
  const pathLength = constraints?.pathLength;
  if (pathLength !== undefined && !(Number.isSafeInteger(pathLength) && pathLength >= 0)) {
    throw new Error('no path length');
  }
  return { authority: constraints?.ca ?? false, pathLength };
}

function allowsClientAuth(extension: ExtendedKeyUsageExtension | null): boolean {
  const purposes = extension?.usages.map(String) ?? [anyPurpose];
  return purposes.includes(ExtendedKeyUsage.clientAuth) || purposes.includes(anyPurpose);
}

function readEmails(extension: SubjectAlternativeNameExtension | null): string[] {
  return extension?.names.items.flatMap(({ type, value }) => (type === 'email' ? [value] : [])) ?? [];
}

/** RSA (PKCS #1) and ECDSA with SHA-256, SHA-384 and SHA-512, and Ed25519. */
function isStrongSignature(algorithm: object): boolean {
  // The library tells it in the types of WebCrypto, which are not there without those of browsers.
  const { name, hash } = algorithm as { readonly name: string; readonly hash?: { readonly name: string } };
  if (name === 'Ed25519') return true;
  return (name === 'RSASSA-PKCS1-v1_5' || name === 'ECDSA') && strongHashes.includes(hash?.name);
}

/** A rule that is not understood here may forbid what is asked for; names are not held against constraints at all. */
function supportsCriticalExtensions({ extensions }: ReadCertificate): boolean {
  return extensions.every(
    ({ type, critical }) => type !== nameConstraints && (!critical || supportedExtensions.has(type)),
  );
}
