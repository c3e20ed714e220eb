/** The PHC form of hashes (https://github.com/P-H-C/phc-string-format), without a version: `$id$name=value,..$salt$tag`. */

export interface PhcHash {
  readonly id: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

/** Longer texts are no hashes that are verified. */
const form =
  /^\$([a-z0-9-]{1,32})\$([a-z]+=[0-9]+(?:,[a-z]+=[0-9]+){0,9})\$([A-Za-z0-9+/]{0,200})\$([A-Za-z0-9+/]{1,200})$/;

/** @returns undefined for another text, and where a parameter is given twice */
export function parsePhc(text: string): PhcHash | undefined {
  const [, id, list, salt, tag] = form.exec(text) ?? [];
  if (id === undefined || list === undefined || salt === undefined || tag === undefined) return undefined;
  const pairs = list.split(',').map((pair) => pair.split('=') as [string, string]);
  const parameters = new Map(pairs);
  if (parameters.size < pairs.length) return undefined;
  return { id, parameters, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
}

/** @param parts the parameters of the hash, as text */
export function formatPhc(id: string, parameters: string, salt: Buffer, tag: Buffer): string {
  return `$${id}$${parameters}$${toBase64(salt)}$${toBase64(tag)}`;
}

/** Base64 without padding. */
export function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** A number without leading zeros. */
export function readNumber(digits: string | undefined): number | undefined {
  return digits !== undefined && /^(0|[1-9]\d{0,9})$/.test(digits) ? Number(digits) : undefined;
}

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

export function isInRange(value: number, { min, max }: Bounds): boolean {
  return value >= min && value <= max;
}

/** @returns a predicate; undefined within the bounds */
export function findRangeProblem(kind: string, unit: string, value: number, bounds: Bounds): string | undefined {
  if (isInRange(value, bounds)) return undefined;
  return `must have ${bounds.min} to ${bounds.max} ${unit} (${kind}); it has ${value}`;
}

/** Without a salt, equal passwords have equal hashes; a short tag matches other passwords as well. */
const saltBytes = { min: 1, max: 128 };
const tagBytes = { min: 16, max: 64 };

/** Like `findRangeProblem`, of both. */
export function findLengthProblem(kind: string, salt: Buffer, tag: Buffer): string | undefined {
  return (
    findRangeProblem(kind, 'bytes of salt', salt.length, saltBytes) ??
    findRangeProblem(kind, 'bytes of tag', tag.length, tagBytes)
  );
}
