/**
 * Reads queries. Where a value is not text in percent-encoding, URLSearchParams throws and catches an exception inside,
 * and thousands of values fit into a request: so what it is given is always well encoded.
 */
import { isUtf8 } from 'node:buffer';

/** The parameters of a query, without its question mark. What is garbled is text with U+FFFD in it, as always. */
export function parseQuery(raw: string): URLSearchParams {
  if (isWellEncoded(raw)) return new URLSearchParams(raw);
  const parts = raw.split('&').map((part) => (isWellEncoded(part) ? part : part.split('=').map(reencode).join('=')));
  return new URLSearchParams(parts.join('&'));
}

/** Names of parameters that do not decode to text. */
export function findMalformedNames(raw: string): ReadonlySet<string> {
  if (isWellEncoded(raw)) return noNames;
  return new Set(raw.split('&').flatMap((part) => (isWellEncoded(part) ? [] : [readName(part)])));
}

const noNames: ReadonlySet<string> = new Set();

/** A name that is garbled itself is none that any operation has. */
function readName(part: string): string {
  const [name = ''] = part.split('=', 1);
  return isWellEncoded(name) ? ([...new URLSearchParams(name).keys()][0] ?? '') : name;
}

/** Whether percent-encoding stands for text. */
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
