/** PBKDF2 (RFC 8018) by Node's own crypto: `$pbkdf2-sha256$i=27500,l=64$salt$tag`. */
import { pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { HashKind } from './kind.ts';
import { findLengthProblem, findRangeProblem, parsePhc, readNumber } from './phc.ts';

const derive = promisify(pbkdf2);

const iterations = { min: 1, max: 2_000_000 };

/** @returns the parts of a hash, or why it is not verified */
function parse(hash: string) {
  const { id = '', parameters, salt, tag } = parsePhc(hash) ?? {};
  const [, digest] = /^pbkdf2-(sha1|sha256|sha512)$/.exec(id) ?? [];
  const rounds = readNumber(parameters?.get('i'));
  if (digest === undefined || !salt || !tag || rounds === undefined)
    return 'must be $pbkdf2-sha1, -sha256 or -sha512, $i=ITERATIONS,l=BYTES$SALT$TAG, with salt and tag in base64 without padding';
  const length = parameters?.has('l') ? readNumber(parameters.get('l')) : tag.length;
  if (length !== tag.length) return `must have a tag of l bytes (PBKDF2); it has ${tag.length}`;
  return (
    findRangeProblem('PBKDF2', 'iterations', rounds, iterations) ??
    findLengthProblem('PBKDF2', salt, tag) ?? { digest, rounds, salt, tag }
  );
}

export const pbkdf2Kind: HashKind = {
  name: 'PBKDF2',
  has: (hash) => hash.startsWith('$pbkdf2'),
  findProblem(hash) {
    const parsed = parse(hash);
    return typeof parsed === 'string' ? parsed : undefined;
  },
  async verify(hash, password) {
    const parsed = parse(hash);
    if (typeof parsed === 'string') return false;
    const { digest, rounds, salt, tag } = parsed;
    return timingSafeEqual(await derive(password, salt, rounds, tag.length, digest), tag);
  },
};
