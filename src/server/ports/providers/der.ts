/** Reads DER (X.690), as far as certificates need it: values with their tag, and nothing of undetermined length. */

export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
}

export const derTags = { boolean: 0x01, integer: 0x02, bits: 0x03, octets: 0x04, oid: 0x06, sequence: 0x30 } as const;

/** The values that stand one after the other. @throws Error where the bytes are no DER. */
export function derValues(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { value, end } = readValue(bytes, at);
    values.push(value);
    at = end;
  }
  return values;
}

/** What a constructed value of this tag holds. @throws Error where it is another value, or none. */
export function derContent(value: DerValue | undefined, tag: number): DerValue[] {
  return derValues(derBytes(value, tag));
}

/** The bytes of a value of this tag. @throws Error where it is another value, or none. */
export function derBytes(value: DerValue | undefined, tag: number): Buffer {
  if (value?.tag !== tag) throw new Error('the DER holds another value than is due');
  return value.content;
}

/** The bit of this number in a bit string, the first being 0. @throws Error where it is no bit string. */
export function derBit(value: DerValue | undefined, bit: number): boolean {
  const bytes = derBytes(value, derTags.bits);
  return ((bytes[1 + (bit >> 3)] ?? 0) & (0x80 >> (bit & 7))) !== 0;
}

function readValue(bytes: Buffer, at: number): { value: DerValue; end: number } {
  const tag = bytes[at];
  const { length, start } = readLength(bytes, at + 1);
  const end = start + length;
  // Tags of several bytes do not occur in certificates.
  if (tag === undefined || (tag & 0x1f) === 0x1f || end > bytes.length) throw new Error('the DER is broken');
  return { value: { tag, content: bytes.subarray(start, end) }, end };
}

function readLength(bytes: Buffer, at: number): { length: number; start: number } {
  const first = bytes[at];
  if (first === undefined) throw new Error('the DER ends too early');
  if (first < 0x80) return { length: first, start: at + 1 };
  const size = first & 0x7f;
  if (size === 0 || size > 4 || at + 1 + size > bytes.length) throw new Error('the length is no DER');
  return { length: bytes.readUIntBE(at + 1, size), start: at + 1 + size };
}
