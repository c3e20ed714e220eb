/**
 * What a certificate says (RFC 5280), as far as it counts here. Signatures and names are compared by node:crypto, which
 * does not tell of path lengths, key usages and critical extensions: those are read here, after it took the certificate.
 */
import { createHash, X509Certificate } from 'node:crypto';
import { type DerValue, derBit, derBytes, derContent, derTags, derValues } from './der.ts';

export interface CertificateFacts {
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
  readonly forClients: boolean;
  /** The rfc822Names of subjectAltName. */
  readonly emails: readonly string[];
  /** Whether key and signature are of today's strength, and every critical extension is one that is heeded here. */
  readonly sound: boolean;
}

/** The certificate in PEM, or in base64 of DER. Undefined where it is none. */
export function readCertificate(text: string): CertificateFacts | undefined {
  try {
    return factsOf(new X509Certificate(bytesOf(text)));
  } catch {
    return undefined;
  }
}

/** One certificate only: what stands behind a first one would be passed over. */
function bytesOf(text: string): Buffer {
  const [, inner] = /^\s*-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----\s*$/.exec(text) ?? [];
  const base64 = (inner ?? text).replaceAll(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new Error('neither PEM nor base64');
  const bytes = Buffer.from(base64, 'base64');
  if (derValues(bytes).length !== 1) throw new Error('more than one value');
  return bytes;
}

/** Object identifiers, as their DER bytes in hexadecimal. */
const extensionIds = {
  keyUsage: '551d0f',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  nameConstraints: '551d1e',
  extKeyUsage: '551d25',
};
const heeded: ReadonlySet<string> = new Set([
  extensionIds.keyUsage,
  extensionIds.subjectAltName,
  extensionIds.basicConstraints,
  extensionIds.extKeyUsage,
]);
const clientAuth = '2b06010505070302';
const anyPurpose = '551d2500';

/** RSA (PKCS #1) and ECDSA with SHA-256, SHA-384 and SHA-512, and Ed25519. */
const soundSignatures: ReadonlySet<string> = new Set([
  '2a864886f70d01010b',
  '2a864886f70d01010c',
  '2a864886f70d01010d',
  '2a8648ce3d040302',
  '2a8648ce3d040303',
  '2a8648ce3d040304',
  '2b6570',
]);
const soundCurves: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1'];
const leastModulus = 2048;
const greatestModulus = 8192;

interface Extension {
  readonly critical: boolean;
  readonly value: Buffer;
}

function factsOf(x509: X509Certificate): CertificateFacts {
  const [body, algorithm] = derContent(derValues(x509.raw)[0], derTags.sequence);
  const parts = derContent(body, derTags.sequence);
  const extensions = extensionsOf(parts);
  const constraints = innerOf(extensions.get(extensionIds.basicConstraints));
  const usage = extensions.get(extensionIds.keyUsage);
  const allows = (bit: number) => usage === undefined || derBit(derValues(usage.value)[0], bit);
  return {
    x509,
    fingerprint: createHash('sha256').update(x509.raw).digest('hex'),
    notBefore: Date.parse(x509.validFrom),
    notAfter: Date.parse(x509.validTo),
    ...authorityOf(constraints),
    maySignCertificates: allows(5),
    maySign: allows(0) || allows(1),
    forClients: forClients(extensions.get(extensionIds.extKeyUsage)),
    emails: emailsIn(extensions.get(extensionIds.subjectAltName)),
    sound: isSoundKey(x509) && soundSignatures.has(idOf(algorithm)) && heedsAll(extensions),
  };
}

/** @throws Error where one stands there twice. */
function extensionsOf(parts: readonly DerValue[]): Map<string, Extension> {
  const list = parts.find(({ tag }) => tag === 0xa3);
  const extensions = new Map<string, Extension>();
  if (!list) return extensions;
  for (const entry of derContent(derValues(list.content)[0], derTags.sequence)) {
    const [id, ...rest] = derContent(entry, derTags.sequence);
    const name = derBytes(id, derTags.oid).toString('hex');
    if (extensions.has(name)) throw new Error('an extension is there twice');
    const critical = rest.length === 2 && isTrue(rest[0]);
    extensions.set(name, { critical, value: derBytes(rest.at(-1), derTags.octets) });
  }
  return extensions;
}

function innerOf(extension: Extension | undefined): DerValue[] {
  return extension === undefined ? [] : derContent(derValues(extension.value)[0], derTags.sequence);
}

function isTrue(value: DerValue | undefined): boolean {
  return derBytes(value, derTags.boolean)[0] !== 0;
}

function authorityOf(constraints: readonly DerValue[]): Pick<CertificateFacts, 'authority' | 'pathLength'> {
  const [first, second] = constraints;
  const authority = first?.tag === derTags.boolean && isTrue(first);
  const length = second === undefined ? undefined : derBytes(second, derTags.integer);
  if (length !== undefined && (length.length > 2 || (length[0] ?? 0x80) >= 0x80)) throw new Error('no path length');
  return { authority, pathLength: length?.readUIntBE(0, length.length) };
}

function forClients(extension: Extension | undefined): boolean {
  if (extension === undefined) return true;
  const purposes = innerOf(extension).map((id) => derBytes(id, derTags.oid).toString('hex'));
  return purposes.includes(clientAuth) || purposes.includes(anyPurpose);
}

/** GeneralName: rfc822Name [1] IA5String. */
function emailsIn(extension: Extension | undefined): string[] {
  return innerOf(extension).flatMap(({ tag, content }) => (tag === 0x81 ? [content.toString('latin1')] : []));
}

function idOf(algorithm: DerValue | undefined): string {
  return derBytes(derContent(algorithm, derTags.sequence)[0], derTags.oid).toString('hex');
}

/** A rule that is not understood here may forbid what is asked for; names are not held against constraints at all. */
function heedsAll(extensions: ReadonlyMap<string, Extension>): boolean {
  if (extensions.has(extensionIds.nameConstraints)) return false;
  return [...extensions].every(([name, { critical }]) => !critical || heeded.has(name));
}

/** Whether a key is strong enough for today, and not so long that checking it takes long. */
export function isSoundKey({ publicKey }: X509Certificate): boolean {
  const { modulusLength = 0, namedCurve } = publicKey.asymmetricKeyDetails ?? {};
  switch (publicKey.asymmetricKeyType) {
    case 'rsa':
      return modulusLength >= leastModulus && modulusLength <= greatestModulus;
    case 'ec':
      return soundCurves.includes(namedCurve);
    default:
      return publicKey.asymmetricKeyType === 'ed25519';
  }
}
