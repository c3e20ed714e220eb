/**
 * Internationalized domain names. They are stored and compared as A-labels (UTS #46, non-transitional), and shown in
 * Unicode where that hides no look-alike.
 */
import { parseUrl } from './parse-url.ts';

/** ASCII characters that no domain name contains: they would end the host of a URL, or be decoded in it. */
const foreignCharacter = /(?=\p{ASCII})[^A-Za-z0-9.-]/u;
const asciiOnly = /^\p{ASCII}*$/u;
/** Longer names are invalid whatever they are mapped to. */
const maxSpelledLength = 1000;

export function isAscii(text: string): boolean {
  return asciiOnly.test(text);
}

/** Converts a domain name to A-labels in lower case; undefined for one that is not valid. */
export function toAsciiDomain(domain: string): string | undefined {
  if (domain.length > maxSpelledLength || foreignCharacter.test(domain)) return undefined;
  // Before Unicode 15.1 the mapping of the capital sharp s was that of transitional processing.
  const hostname = parseUrl(`http://${domain.normalize('NFC').replaceAll('\u1e9e', '\u00df')}`)?.hostname;
  // A last label of digits makes the parser of URLs read an IPv4 address.
  if (hostname === undefined || /(?:^|\.)[\d.]+$/.test(hostname)) return undefined;
  return followsBidiRule(hostname) ? hostname : undefined;
}

/** Classes of UAX #9: digits of Europe and of Arabic, marks, letters from right to left by their blocks, and all others. */
const europeanDigit = '[0-9\\u06f0-\\u06f9]';
const arabicDigit =
  '[\\u0600-\\u0605\\u0660-\\u0669\\u066b\\u066c\\u06dd\\u0890\\u0891\\u08e2\\u{10d30}-\\u{10d39}\\u{10e60}-\\u{10e7e}]';
const mark = '[\\p{Mn}\\p{Me}]';
const rightToLeftBlocks =
  '[\\u0590-\\u08ff\\ufb1d-\\ufdcf\\ufdf0-\\ufdff\\ufe70-\\ufeff\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]';
const rightToLeft = `[${rightToLeftBlocks}--[${europeanDigit}${arabicDigit}${mark}\\p{S}]]`;
const leftToRight = `[[\\p{L}\\p{Mc}\\p{N}]--[${europeanDigit}${rightToLeftBlocks}]]`;

const bothDigits = `${europeanDigit}.*${arabicDigit}|${arabicDigit}.*${europeanDigit}`;
const rightToLeftLabel = `^(?!.*(?:${leftToRight}|${bothDigits}))${rightToLeft}(?:.*[${rightToLeft}${europeanDigit}${arabicDigit}])?${mark}*$`;
const leftToRightLabel = `^(?!.*[${rightToLeft}${arabicDigit}])${leftToRight}(?:.*[${leftToRight}${europeanDigit}])?${mark}*$`;

/** Whether labels keep their order beside others (RFC 5893, section 2), which the parser of URLs checks in part. */
function followsBidiRule(hostname: string): boolean {
  if (!hostname.includes('xn--')) return true;
  const labels = hostname
    .split('.')
    .map((found) => (found.startsWith('xn--') ? decodePunycode(found.slice('xn--'.length)) : found) ?? found);
  // Compiled for the few names that need them: each takes a millisecond.
  const withRightToLeft = new RegExp(`[${rightToLeft}${arabicDigit}]`, 'v');
  if (!labels.some((found) => withRightToLeft.test(found))) return true;
  const ordered = new RegExp(`${rightToLeftLabel}|${leftToRightLabel}`, 'v');
  return labels.every((found) => ordered.test(found));
}

/** Shows a domain name: a label in Unicode if all its letters are of one script, else as it is stored. */
export function showDomain(domain: string): string {
  return /xn--/i.test(domain) ? domain.split('.').map(showLabel).join('.') : domain;
}

function showLabel(label: string): string {
  const decoded = decodeLabel(label);
  return decoded !== undefined && isOfOneScript(decoded) ? decoded : label;
}

/** The Unicode form of an A-label; undefined for every other label. */
export function decodeLabel(label: string): string | undefined {
  const lowered = label.toLowerCase();
  const decoded = lowered.startsWith('xn--') ? decodePunycode(lowered.slice('xn--'.length)) : undefined;
  return decoded !== undefined && toAsciiDomain(decoded) === lowered ? decoded : undefined;
}

/** The domain name with all A-labels in Unicode, as the names of before were stored. */
export function toUnicodeDomain(domain: string): string {
  return domain
    .split('.')
    .map((label) => decodeLabel(label) ?? label)
    .join('.');
}

/** The scripts of identifiers (UAX #31, table 5), and those that one language writes together (UTS #39, 5.1). */
const scripts = [
  ...['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Thaana', 'Ethiopic', 'Devanagari'],
  ...['Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao'],
  ...['Tibetan', 'Myanmar', 'Khmer'],
].map((script) => [script]);
const writtenTogether = [
  ['Han', 'Hiragana', 'Katakana'],
  ['Han', 'Bopomofo'],
  ['Han', 'Hangul'],
];

/** Compiling these expressions takes longer than the start of a command, which seldom shows such a label. */
function isOfOneScript(label: string): boolean {
  return [...scripts, ...writtenTogether].some((together) => {
    const letters = together.map((name) => `\\p{scx=${name}}`).join('');
    return new RegExp(`^(?:[-0-9]|(?=[\\p{L}\\p{M}\\p{N}])[${letters}])+$`, 'u').test(label);
  });
}

/** The parameters of Punycode (RFC 3492, 5). */
const base = 36;
const tMin = 1;
const tMax = 26;
const skew = 38;
const damp = 700;
/** A label has at most 63 characters. */
const maxLabelLength = 63;

/** Decodes what follows the prefix of an A-label (RFC 3492, 6.2); undefined if it is not valid. */
function decodePunycode(encoded: string): string | undefined {
  if (encoded.length > maxLabelLength || !/^[a-z0-9-]+$/.test(encoded)) return undefined;
  const end = Math.max(encoded.lastIndexOf('-'), 0);
  const points = Array.from(encoded.slice(0, end), (letter) => letter.codePointAt(0) ?? 0);
  let [point, at, bias] = [128, 0, 72];
  for (let read = end > 0 ? end + 1 : 0; read < encoded.length; at += 1) {
    const before = at;
    for (let weight = 1, k = base; ; k += base) {
      const digit = digitOf(encoded[read] ?? '');
      if (digit === undefined) return undefined;
      read += 1;
      at += digit * weight;
      const threshold = Math.min(Math.max(k - bias, tMin), tMax);
      if (digit < threshold) break;
      weight *= base - threshold;
    }
    const length = points.length + 1;
    bias = adapt(at - before, length, before === 0);
    point += Math.floor(at / length);
    at %= length;
    if (point > 0x10ffff) return undefined;
    points.splice(at, 0, point);
  }
  return String.fromCodePoint(...points);
}

/** `a` to `z` are 0 to 25, `0` to `9` are 26 to 35. */
function digitOf(letter: string): number | undefined {
  if (/^[a-z]$/.test(letter)) return letter.charCodeAt(0) - 97;
  return /^\d$/.test(letter) ? Number(letter) + 26 : undefined;
}

/** RFC 3492, 6.1. */
function adapt(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? damp : 2));
  rest += Math.floor(rest / length);
  let bias = 0;
  for (; rest > ((base - tMin) * tMax) / 2; bias += base) rest = Math.floor(rest / (base - tMin));
  return bias + Math.floor(((base - tMin + 1) * rest) / (rest + skew));
}
