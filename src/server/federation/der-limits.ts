/**
 * Limits the elements of a certificate before a library parses it, in one pass: the library creates an object per element,
 * so thousands of empty names cost much more than their size suggests.
 */

/** A certificate has about 100 elements, one with a hundred names 300; a signature of 8192 bits may count as 512. */
const maxElements = 1000;
const maxDepth = 24;
/** Max bytes of an object identifier. */
const maxIdentifierBytes = 64;
/** Within a bit string, whose random bytes may look like one: the length of a signature of 8192 bits. */
const maxIdentifierBytesOfBits = 1024;

const objectIdentifier = 0x06;
/** registeredID of a GeneralName (RFC 5280, 4.2.1.6): an object identifier under another tag. */
const registeredId = 0x88;
const bitString = 0x03;
const octetString = 0x04;
const constructed = 0x20;

interface DerElement {
  readonly tag: number;
  /** Start and end of the content. */
  readonly start: number;
  readonly end: number;
}

interface DerRange {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  /** A string may contain elements or arbitrary bytes; everything else must contain elements. */
  readonly isString: boolean;
  readonly maxIdentifierBytes: number;
}

/** Returns whether bytes are DER with few elements, limited nesting, and no long object identifier. */
export function isSmallDer(bytes: Uint8Array): boolean {
  let budget = maxElements;

  function isSmall(range: DerRange): boolean {
    for (let at = range.start; at < range.end; ) {
      const element = readElement(bytes, at, range.end);
      // A lenient parser may find an element in every two bytes.
      budget -= element ? 1 : (range.end - at) / 2;
      if (budget < 0) return false;
      if (!element) return range.isString;
      if (range.depth > maxDepth || isLongIdentifier(element, range)) return false;
      const inner = innerRange(element, range);
      if (inner && !isSmall(inner)) return false;
      at = element.end;
    }
    return true;
  }

  return isSmall({ start: 0, end: bytes.length, depth: 0, isString: false, maxIdentifierBytes });
}

function isLongIdentifier({ tag, start, end }: DerElement, range: DerRange): boolean {
  return (tag === objectIdentifier || tag === registeredId) && end - start > range.maxIdentifierBytes;
}

/** The range of nested elements, if any: the library also parses octet strings and bit strings. */
function innerRange({ tag, start, end }: DerElement, outer: DerRange): DerRange | undefined {
  const range = { ...outer, start, end, depth: outer.depth + 1 };
  if ((tag & constructed) !== 0) return range;
  if (tag === octetString) return { ...range, isString: true };
  if (tag !== bitString) return undefined;
  return { ...range, start: start + 1, isString: true, maxIdentifierBytes: maxIdentifierBytesOfBits };
}

/** Reads the element at an offset, with a length of up to four bytes (X.690, 8.1.3). */
function readElement(bytes: Uint8Array, at: number, limit: number): DerElement | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined || at + 2 > limit) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + lengthBytes;
  if (lengthBytes > 4 || start > limit || first === 0x80) return undefined;
  let length = lengthBytes === 0 ? first : 0;
  for (let next = at + 2; next < start; next += 1) length = length * 256 + (bytes[next] ?? 0);
  return start + length > limit ? undefined : { tag, start, end: start + length };
}
