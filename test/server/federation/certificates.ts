/** Certificates encoded as DER by hand, including invalid ones that no tool creates. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface TestCertificate {
  readonly pem: string;
  readonly der: Buffer;
  readonly privateKey: KeyObject;
  /** SHA-256 in hexadecimal. */
  readonly fingerprint: string;
  /** Its name, as DER. */
  readonly name: Buffer;
}

export interface CertificateOptions {
  readonly name?: string;
  /** Self-signed without one. */
  readonly issuer?: TestCertificate;
  /** Signs instead of the issuer's key, under the issuer's name. */
  readonly signedBy?: KeyObject;
  readonly key?: KeyName;
  readonly from?: string;
  readonly until?: string;
  readonly authority?: boolean;
  readonly pathLength?: number;
  /** Bits of keyUsage: 0 digitalSignature, 2 keyEncipherment, 5 keyCertSign, 6 cRLSign. */
  readonly keyUsage?: readonly number[];
  /** extKeyUsage: the last number of 1.3.6.1.5.5.7.3.x. */
  readonly purposes?: readonly number[];
  readonly emails?: readonly string[];
  /** Further extensions: object identifier, whether it is critical, and its value. */
  readonly extensions?: readonly (readonly [string, boolean, Buffer])[];
  readonly hash?: 'sha256' | 'sha1';
}

const keyGenerators = {
  rsa: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  'rsa-other': () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  'rsa-weak': () => generateKeyPairSync('rsa', { modulusLength: 1024 }),
  ec: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'ec-other': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'ec-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'ec-koblitz': () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
};
type KeyName = keyof typeof keyGenerators;
const keyPairs = new Map<KeyName, ReturnType<(typeof keyGenerators)[KeyName]>>();

/** One pair per name, generated once. */
export function generateKeyPairOnce(name: KeyName) {
  const pair = keyPairs.get(name) ?? keyGenerators[name]();
  keyPairs.set(name, pair);
  return pair;
}

let serial = 0;

export function createCertificate(options: CertificateOptions = {}): TestCertificate {
  serial += 1;
  const { publicKey, privateKey } = generateKeyPairOnce(options.key ?? 'ec');
  const name = nameOf(options.name ?? `Test ${serial}`);
  const signer = options.signedBy ?? options.issuer?.privateKey ?? privateKey;
  const algorithm = algorithmOf(signer, options.hash ?? 'sha256');
  const body = sequence(
    der(0xa0, integer(2)),
    integer(serial),
    algorithm,
    options.issuer?.name ?? name,
    sequence(time(options.from ?? '2025-01-01'), time(options.until ?? '2030-01-01')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensionsOf(options))),
  );
  const certificate = sequence(body, algorithm, bits(sign(options.hash ?? 'sha256', body, signer)));
  return {
    pem: formatPem(certificate),
    der: certificate,
    privateKey,
    fingerprint: createHash('sha256').update(certificate).digest('hex'),
    name,
  };
}

/** A certificate that is created when it is first read: a key of RSA takes up to a second. */
export function createCertificateLater(options: CertificateOptions): TestCertificate {
  let created: TestCertificate | undefined;
  const get = () => {
    created ??= createCertificate(options);
    return created;
  };
  return {
    get pem() {
      return get().pem;
    },
    get der() {
      return get().der;
    },
    get privateKey() {
      return get().privateKey;
    },
    get fingerprint() {
      return get().fingerprint;
    },
    get name() {
      return get().name;
    },
  };
}

/** A certificate that may sign others. */
export function createAuthority(options: CertificateOptions = {}): TestCertificate {
  return createCertificate({ authority: true, keyUsage: [5, 6], ...options });
}

function extensionsOf(options: CertificateOptions): Buffer[] {
  const { authority, pathLength, keyUsage, purposes, emails, extensions = [] } = options;
  return [
    ...(authority === undefined ? [] : [extension('2.5.29.19', true, constraints(authority, pathLength))]),
    ...(keyUsage === undefined ? [] : [extension('2.5.29.15', true, bitsOf(keyUsage))]),
    ...(purposes === undefined
      ? []
      : [extension('2.5.29.37', false, sequence(...purposes.map((id) => objectId(`1.3.6.1.5.5.7.3.${id}`))))]),
    ...(emails === undefined
      ? []
      : [extension('2.5.29.17', false, sequence(...emails.map((email) => der(0x81, Buffer.from(email, 'latin1')))))]),
    ...extensions.map(([id, critical, value]) => extension(id, critical, value)),
  ];
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return sequence(objectId(id), ...(critical ? [yes] : []), der(0x04, value));
}

const yes = Buffer.from([0x01, 0x01, 0xff]);

function constraints(authority: boolean, pathLength?: number): Buffer {
  return sequence(...(authority ? [yes] : []), ...(pathLength === undefined ? [] : [integer(pathLength)]));
}

function bitsOf(numbers: readonly number[]): Buffer {
  const byte = numbers.reduce((all, bit) => all | (0x80 >> bit), 0);
  const unused = 7 - Math.max(...numbers);
  return der(0x03, Buffer.from([unused, byte]));
}

const algorithms = {
  'rsa sha256': '1.2.840.113549.1.1.11',
  'rsa sha1': '1.2.840.113549.1.1.5',
  'ec sha256': '1.2.840.10045.4.3.2',
  'ec sha1': '1.2.840.10045.4.1',
};

function algorithmOf(key: KeyObject, hash: string): Buffer {
  const id = objectId(algorithms[`${key.asymmetricKeyType} ${hash}` as keyof typeof algorithms]);
  return key.asymmetricKeyType === 'rsa' ? sequence(id, Buffer.from([0x05, 0x00])) : sequence(id);
}

export function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

export const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const bits = (content: Buffer) => der(0x03, Buffer.from([0]), content);
const time = (day: string) => der(0x18, Buffer.from(`${day.replaceAll('-', '')}000000Z`));
const nameOf = (text: string) => sequence(der(0x31, sequence(objectId('2.5.4.3'), der(0x0c, Buffer.from(text)))));

function integer(value: number): Buffer {
  return der(0x02, Buffer.from(value < 128 ? [value] : [value >> 8, value & 255]));
}

function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) digits.unshift(0x80 | (rest & 0x7f));
  return digits;
}

function formatPem(certificate: Buffer): string {
  const lines = certificate.toString('base64').replaceAll(/.{64}/g, '$&\n').trim();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
