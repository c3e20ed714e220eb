/**
 * Parses the fields of a certificate (RFC 5280) that path validation needs. node:crypto checks signatures and names, but
 * does not expose path lengths, key usages and critical extensions: @peculiar/x509 parses those. A separate module, loaded
 * with the first certificate: its dependencies take longer to load than the server takes to start.
 */
import 'reflect-metadata/lite';
import { createHash, type X509Certificate } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate as PeculiarCertificate,
  SubjectAlternativeNameExtension,
} from '@peculiar/x509';
import { decodeCertificate, isStrongKey } from './certificate-encoding.ts';
import { isSmallDer } from './der-limits.ts';

export interface ParsedCertificate {
  readonly x509: X509Certificate;
  /** SHA-256 of the whole certificate, lower-case hexadecimal. */
  readonly fingerprint: string;
  /** Validity period, inclusive, in milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** basicConstraints: whether it may issue certificates, and how many intermediate authorities may follow it. */
  readonly authority: boolean;
  readonly pathLength: number | undefined;
  /** keyUsage; without that extension every use is allowed. */
  readonly maySignCertificates: boolean;
  readonly maySign: boolean;
  /** extKeyUsage; without that extension every purpose is allowed. */
  readonly allowsClientAuth: boolean;
  /** The rfc822Names of subjectAltName. */
  readonly emails: readonly string[];
  /** Whether key and signature are strong enough, and every critical extension is supported. */
  readonly strong: boolean;
}

/** Parses a certificate in PEM or base64 of DER. Returns undefined if it is invalid, too large, or has duplicate extensions. */
export function parseCertificate(text: string): ParsedCertificate | undefined {
  const x509 = decodeCertificate(text);
  try {
    return x509 && isSmallDer(x509.raw) ? toParsedCertificate(x509, new PeculiarCertificate(x509.raw)) : undefined;
  } catch {
    return undefined;
  }
}

const nameConstraints = '2.5.29.30';
const anyPurpose = '2.5.29.37.0';
/** Key usage, subjectAltName, basicConstraints, extKeyUsage. */
const supportedExtensions: ReadonlySet<string> = new Set(['2.5.29.15', '2.5.29.17', '2.5.29.19', '2.5.29.37']);
const strongHashes: readonly (string | undefined)[] = ['SHA-256', 'SHA-384', 'SHA-512'];

function toParsedCertificate(x509: X509Certificate, details: PeculiarCertificate): ParsedCertificate {
  const types = details.extensions.map(({ type }) => type);
  if (new Set(types).size < types.length) throw new Error('duplicate extension');
  const usages = details.getExtension(KeyUsagesExtension)?.usages;
  const allows = (usage: KeyUsageFlags) => usages === undefined || (usages & usage) !== 0;
  return {
    x509,
    fingerprint: createHash('sha256').update(x509.raw).digest('hex'),
    notBefore: Date.parse(x509.validFrom),
    notAfter: Date.parse(x509.validTo),
    ...parseBasicConstraints(details.getExtension(BasicConstraintsExtension)),
    maySignCertificates: allows(KeyUsageFlags.keyCertSign),
    maySign: allows(KeyUsageFlags.digitalSignature) || allows(KeyUsageFlags.nonRepudiation),
    allowsClientAuth: allowsClientAuth(details.getExtension(ExtendedKeyUsageExtension)),
    emails: readEmails(details.getExtension(SubjectAlternativeNameExtension)),
    strong: isStrongKey(x509) && isStrongSignature(details.signatureAlgorithm) && supportsCriticalExtensions(details),
  };
}

function parseBasicConstraints(
  constraints: BasicConstraintsExtension | null,
): Pick<ParsedCertificate, 'authority' | 'pathLength'> {
  const pathLength = constraints?.pathLength;
  if (pathLength !== undefined && !(Number.isSafeInteger(pathLength) && pathLength >= 0)) {
    throw new Error('invalid path length');
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
  // The library uses WebCrypto types, which are only available with the DOM types.
  const { name, hash } = algorithm as { readonly name: string; readonly hash?: { readonly name: string } };
  if (name === 'Ed25519') return true;
  return (name === 'RSASSA-PKCS1-v1_5' || name === 'ECDSA') && strongHashes.includes(hash?.name);
}

/** An unknown critical extension may forbid this use (RFC 5280, 4.2). Name constraints are not supported. */
function supportsCriticalExtensions({ extensions }: PeculiarCertificate): boolean {
  return extensions.every(
    ({ type, critical }) => type !== nameConstraints && (!critical || supportedExtensions.has(type)),
  );
}
