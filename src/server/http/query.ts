/**
 * Parses queries. URLSearchParams throws and catches an exception internally for each malformed value, and a request can
 * contain thousands: it therefore only receives well-encoded text.
 */
import { isUtf8 } from 'node:buffer';

/** Parses a query without its question mark. Malformed bytes become U+FFFD, as in URLSearchParams. */
export function parseQuery(raw: string): URLSearchParams {
  if (isWellEncoded(raw)) return new URLSearchParams(raw);
  const parts = raw.split('&').map((part) => (isWellEncoded(part) ? part : part.split('=').map(reencode).join('=')));
  return new URLSearchParams(parts.join('&'));
}

/** Names of parameters that are not valid percent-encoded UTF-8. */
export function findMalformedNames(raw: string): ReadonlySet<string> {
  if (isWellEncoded(raw)) return noNames;
  return new Set(raw.split('&').flatMap((part) => (isWellEncoded(part) ? [] : [readName(part)])));
}

const noNames: ReadonlySet<string> = new Set();

/** A malformed name is returned raw; it matches no declared parameter. */
function readName(part: string): string {
  const [name = ''] = part.split('=', 1);
  return isWellEncoded(name) ? ([...new URLSearchParams(name).keys()][0] ?? '') : name;
}

/** Returns whether text is valid percent-encoded UTF-8. */
export function isWellEncoded(text: string): boolean {
  if (!text.includes('%')) return true;
  return !/%(?![0-9A-Fa-f]{2})/.test(text) && isUtf8(decodeBytes(text));
}

function decodeBytes(text: string): Buffer {
  const byte = (_: string, digits: string) => String.fromCharCode(Number.parseInt(digits, 16));
  return Buffer.from(
    Buffer.from(text)
      .toString('latin1')
      .replaceAll(/%([0-9A-Fa-f]{2})/g, byte),
    'latin1',
  );
}

function reencode(text: string): string {
  return text
    .split('+')
    .map((word) => encodeURIComponent(decodeBytes(word).toString('utf8')))
    .join('+');
}
