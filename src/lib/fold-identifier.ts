import { isAscii, toAsciiDomain } from '../contract/email/domain-names.ts';
import { withUnicodeDomain } from '../contract/email/email-address.ts';

/** Normalizes e-mails and login identifiers for comparison: NFC, lower case, and the domain of an address as A-labels. */
export function foldIdentifier(value: string): string {
  const folded = foldSpelling(value);
  const at = value.lastIndexOf('@');
  // Links of external accounts, which have a colon, are no addresses.
  if (at < 0 || isAscii(folded) || value.includes(':')) return folded;
  const domain = value.slice(at + 1);
  const ascii = isAscii(domain) ? undefined : toAsciiDomain(domain);
  return ascii === undefined ? folded : `${foldSpelling(value.slice(0, at))}@${ascii}`;
}

/** The key of a stored name in an index, which depends on its letters only: NFC, lower case. */
export function foldSpelling(value: string): string {
  // The capital of some letters is composed of two, such as that of \u01f0.
  return lowerNfc(value).normalize('NFC');
}

function lowerNfc(value: string): string {
  return value.normalize('NFC').toLowerCase();
}

/**
 * The keys under which an index can have a name: the one of today, then those from before domains were A-labels and lower
 * case was normalized again.
 */
export function listFoldedSpellings(value: string): readonly string[] {
  const folded = foldIdentifier(value);
  const spellings = [folded, foldSpelling(value), withUnicodeDomain(folded)];
  const isSame = (former: string) => former.normalize('NFC') === folded;
  const former = [lowerNfc(value), lowerNfc(folded.toUpperCase())].filter(isSame);
  return [...new Set([...spellings, ...former])];
}
