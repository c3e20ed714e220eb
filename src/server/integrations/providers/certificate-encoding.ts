/** A certificate from its text, by node:crypto alone: what wants no more of it than that need not load more. */
import { X509Certificate } from 'node:crypto';

/** The certificate in PEM, or in base64 of DER. Undefined where it is none, or more than one. */
export function decodeCertificate(text: string): X509Certificate | undefined {
  try {
    const bytes = decodeDer(text);
    const x509 = new X509Certificate(bytes);
    // What stands behind a first one would be passed over.
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

/** A check takes as long as the exponent is; nearly all are 65537. */
const maxPublicExponent = 2n ** 32n;

/** Whether a key is strong enough for today, and not so long that checking it takes long. */
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
