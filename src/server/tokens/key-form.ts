/** Which keys sign and verify with an algorithm. A longer key than these takes seconds for one signature. */
import type { KeyObject } from 'node:crypto';
import type { SigningAlgorithm } from '../../contract/signing-algorithms.ts';

/** Bits of the modulus of RSA; the minimum is for 128 bits of security (NIST SP 800-57, part 1, table 2). */
export const rsaLengths = { min: 3_072, max: 8_192 };
/** Verification takes as long as the exponent; 65537 is the usual one. */
const maxRsaExponent = 2n ** 32n;

/** Whether a key has the type and the length for an algorithm. */
export function fitsAlgorithm(key: KeyObject, alg: string): boolean {
  const { asymmetricKeyType, asymmetricKeyDetails: { namedCurve, modulusLength = 0, publicExponent = 0n } = {} } = key;
  const isRsa =
    asymmetricKeyType === 'rsa' &&
    modulusLength >= rsaLengths.min &&
    modulusLength <= rsaLengths.max &&
    publicExponent <= maxRsaExponent;
  const fits: Readonly<Record<SigningAlgorithm, boolean>> = {
    ES256: asymmetricKeyType === 'ec' && namedCurve === 'prime256v1',
    EdDSA: asymmetricKeyType === 'ed25519',
    ...{ RS256: isRsa, RS512: isRsa, PS256: isRsa },
  };
  return Object.hasOwn(fits, alg) && fits[alg as SigningAlgorithm];
}
