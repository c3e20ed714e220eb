/** scrypt (RFC 7914) by Node's own crypto: `$scrypt$ln=14,r=8,p=1$salt$tag`, where ln is the binary logarithm of the cost. */
import { type BinaryLike, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { HashKind } from './kind.ts';
import { findLengthProblem, findRangeProblem, parsePhc, readNumber } from './phc.ts';

const derive = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);

const mebibyte = 1024 * 1024;
const maxMemory = 64 * mebibyte;
const costs = { min: 1, max: 24 };
const blockSizes = { min: 1, max: 1024 };
const parallelisms = { min: 1, max: 4 };

/** @returns the parts of a hash, or why it is not verified */
function parse(hash: string) {
  const { id, parameters, salt, tag } = parsePhc(hash) ?? {};
  const [ln, r, p] = ['ln', 'r', 'p'].map((name) => readNumber(parameters?.get(name)));
  if (id !== 'scrypt' || !salt || !tag || ln === undefined || r === undefined || p === undefined)
    return 'must be $scrypt$ln=LOG2N,r=BLOCKSIZE,p=PARALLELISM$SALT$TAG, with salt and tag in base64 without padding';
  const problem =
    findRangeProblem('scrypt', 'as ln', ln, costs) ??
    findRangeProblem('scrypt', 'as r', r, blockSizes) ??
    findRangeProblem('scrypt', 'as p', p, parallelisms) ??
    findLengthProblem('scrypt', salt, tag);
  if (problem !== undefined) return problem;
  const memory = 128 * 2 ** ln * r;
  if (memory > maxMemory)
    return `must need at most ${maxMemory / mebibyte} MiB (scrypt); it needs ${Math.ceil(memory / mebibyte)}`;
  return { cost: 2 ** ln, blockSize: r, parallelization: p, salt, tag };
}

export const scryptKind: HashKind = {
  name: 'scrypt',
  has: (hash) => hash.startsWith('$scrypt$'),
  findProblem(hash) {
    const parsed = parse(hash);
    return typeof parsed === 'string' ? parsed : undefined;
  },
  async verify(hash, password) {
    const parsed = parse(hash);
    if (typeof parsed === 'string') return false;
    const { salt, tag, ...options } = parsed;
    // Of OpenSSL, which also counts what the lanes need.
    const maxmem = 2 * maxMemory;
    return timingSafeEqual(await derive(password, salt, tag.length, { ...options, maxmem }), tag);
  },
};
