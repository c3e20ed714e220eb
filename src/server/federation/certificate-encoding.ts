/** Decodes certificates with node:crypto only, so that callers need not load the X.509 library. */
import { X509Certificate } from 'node:crypto';

/** Decodes a certificate in PEM or base64 of DER. Returns undefined if it is not exactly one certificate. */
export function decodeCertificate(text: string): X509Certificate | undefined {
  try {
    const bytes = decodeDer(text);
    const x509 = new X509Certificate(bytes);
    // X509Certificate ignores bytes after the first certificate.
    return x509.raw.equals(bytes) ? x509 : undefined;
  } catch {
    return undefined;
  }
}

function decodeDer(text: string): Buffer {
  const [, inner] = /^\s*-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----\s*$/.exec(text) ?? [];
  const base64 = (inner ?? text).replaceAll(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new Error('neither PEM nor base64');
  return Buffer.from(base64, 'base64');
}

const strongCurves: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1'];
const minModulusLength = 2048;
const maxModulusLength = 8192;

/** The cost of a verification grows with the exponent; nearly all keys use 65537. */
const maxPublicExponent = 2n ** 32n;

/** Returns whether a key is strong enough, and not so long that verification becomes expensive. */
export function isStrongKey({ publicKey }: X509Certificate): boolean {
  const { modulusLength = 0, publicExponent = 0n, namedCurve } = publicKey.asymmetricKeyDetails ?? {};
  switch (publicKey.asymmetricKeyType) {
    case 'rsa':
      return (
        modulusLength >= minModulusLength && modulusLength <= maxModulusLength && publicExponent <= maxPublicExponent
      );
    case 'ec':
      return strongCurves.includes(namedCurve);
    default:
      return publicKey.asymmetricKeyType === 'ed25519';
  }
}
