/**
 * Counts what a certificate is made of, in one pass, before a library makes an object of each part: thousands of empty
 * names cost it as many times more than their bytes say.
 */

/** A certificate has some 100 elements, one of a hundred names 300; a signature of 8192 bits may look like 512. */
const maxElements = 1000;
const maxDepth = 24;
/** Bytes of an object identifier. */
const maxIdentifierBytes = 64;

const objectIdentifier = 0x06;
/** registeredID of a GeneralName (RFC 5280, 4.2.1.6): an object identifier under another tag. */
const registeredId = 0x88;
const bitString = 0x03;
const octetString = 0x04;
const constructed = 0x20;

interface DerElement {
  readonly tag: number;
  /** Where the content begins and ends. */
  readonly start: number;
  readonly end: number;
}

interface DerRange {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  /** Strings may hold elements, or only look like it; everything else has to. */
  readonly isString: boolean;
}

/** Whether it is DER of few elements, none nested deep, and without a long object identifier. */
export function isSmallDer(bytes: Uint8Array): boolean {
  let left = maxElements;

  function isSmall({ start, end, depth, isString }: DerRange): boolean {
    for (let at = start; at < end; ) {
      const element = readElement(bytes, at, end);
      // A library that reads more than DER may see an element in each two bytes.
      left -= element ? 1 : (end - at) / 2;
      if (left < 0) return false;
      if (!element) return isString;
      if (depth > maxDepth || isLongIdentifier(element)) return false;
      const inner = innerRange(element, depth + 1, isString);
      if (inner && !isSmall(inner)) return false;
      at = element.end;
    }
    return true;
  }

  return isSmall({ start: 0, end: bytes.length, depth: 0, isString: false });
}

function isLongIdentifier({ tag, start, end }: DerElement): boolean {
  return (tag === objectIdentifier || tag === registeredId) && end - start > maxIdentifierBytes;
}

/** Where further elements are, if any: the library looks for them in strings of octets and bits as well. */
function innerRange({ tag, start, end }: DerElement, depth: number, isString: boolean): DerRange | undefined {
  if ((tag & constructed) !== 0) return { start, end, depth, isString };
  if (tag !== octetString && tag !== bitString) return undefined;
  return { start: tag === bitString ? start + 1 : start, end, depth, isString: true };
}

/** The element that begins here, with a length of up to four bytes (X.690, 8.1.3). */
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
