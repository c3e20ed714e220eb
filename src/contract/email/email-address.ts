/**
 * E-mail addresses: RFC 5321, and RFC 6531 for letters beyond ASCII. The domain is stored and compared as A-labels. A
 * domain of ASCII letters stays as sent, and is compared without regard to case.
 */

import { describeInvisible } from '../visible-names.ts';
import { decodeLabel, isAscii, showDomain, toAsciiDomain, toUnicodeDomain } from './domain-names.ts';

/** In octets of UTF-8 (RFC 5321, 4.5.3.1). */
const maxLocalOctets = 64;
export const maxEmailOctets = 254;
const maxDomainLength = 253;

interface Parts {
  readonly local: string;
  readonly domain: string;
}

function splitEmail(email: string): Parts {
  const at = email.lastIndexOf('@');
  return { local: email.slice(0, Math.max(at, 0)), domain: email.slice(at + 1) };
}

/** The spelling that is stored: in NFC, with the domain as A-labels. A text that is no address stays as it is. */
export function normalizeEmail(text: string): string {
  const composed = text.normalize('NFC');
  const { local, domain } = splitEmail(composed);
  return local === '' ? composed : `${local}@${normalizeDomain(domain)}`;
}

/** A domain as it is stored. One that is not valid stays as it is. */
export function normalizeDomain(domain: string): string {
  if (isAscii(domain) && !/xn--/i.test(domain)) return domain;
  // The mapping would remove invisible characters.
  return (isVisibleDomain(domain) ? toAsciiDomain(domain) : undefined) ?? domain;
}

const atext = "A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-";
const dotAtom = new RegExp(`^[${atext}]+(?:\\.[${atext}]+)*$`, 'u');
/** Characters in the local part that no name contains. */
const refusedInLocal = /[\p{White_Space}\p{Cc}\p{Cs}]/u;
/** The small and the wide one of East Asian texts. */
const otherAtSign = /[\ufe6b\uff20]/u;
const maskedLocal = /^.?\*{3}$/u;
const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/i;

/** Why a text cannot be the name of a login, as the predicate of a sentence: it looks like an address, and is none. */
export function describeOtherAtSign(name: string): string | undefined {
  return otherAtSign.test(name) ? 'must not contain an at sign other than @, such as the wide one, U+FF20' : undefined;
}

/** What is wrong with an address as `normalizeEmail` returns it, as the predicate of a sentence; undefined if nothing is. */
export function describeEmailProblem(email: string): string | undefined {
  const { local, domain } = splitEmail(email);
  const otherSign = describeOtherAtSign(email);
  if (otherSign !== undefined) return otherSign;
  if (local === '' || domain === '') return 'must be an e-mail address: a name, one @ and a domain';
  return describeLocalProblem(local) ?? describeDomainProblem(domain) ?? describeLength(email);
}

function describeLocalProblem(local: string): string | undefined {
  if (local.startsWith('"')) return 'must not have a name in quotation marks before the @';
  if (local.includes('@')) return 'must be an e-mail address: a name, one @ and a domain';
  if (refusedInLocal.test(local) || describeInvisible(local) !== undefined)
    return 'must not contain spaces, invisible characters, or controls of the text direction';
  if (maskedLocal.test(local)) return 'must be a whole e-mail address: this one is masked';
  if (!dotAtom.test(local))
    return "must be an e-mail address, with letters, digits and . ! # $ % & ' * + - / = ? ^ _ ` { | } ~ before the @";
  return countOctets(local) > maxLocalOctets
    ? `must not have more than ${maxLocalOctets} bytes before the @`
    : undefined;
}

/** What is wrong with a domain as `normalizeDomain` returns it, as the predicate of a sentence. */
export function describeDomainProblem(domain: string): string | undefined {
  if (domain.startsWith('[')) return 'must have a domain name, not an address in brackets';
  if (!isVisibleDomain(domain))
    return 'must not contain spaces, invisible characters, or controls of the text direction';
  const labels = domain.split('.');
  if (labels.includes('')) return 'must have a domain name whose dots separate labels';
  const last = labels.at(-1) ?? '';
  if (/^(?:\d+|0x[\da-f]*)$/i.test(last)) return 'must have a domain name, not an IP address';
  const isValid =
    isAscii(domain) &&
    labels.every(isLabel) &&
    domain.length <= maxDomainLength &&
    (!/xn--/i.test(domain) || toAsciiDomain(domain) !== undefined);
  return isValid
    ? undefined
    : 'must have a valid domain name, with labels of at most 63 characters in their ASCII form';
}

function isLabel(text: string): boolean {
  if (!label.test(text)) return false;
  if (!/^xn--/i.test(text)) return true;
  const decoded = decodeLabel(text);
  return decoded !== undefined && !/^-|-$/.test(decoded) && !isAscii(decoded);
}

/** Joiners are visible by what they do, and the mapping allows them where they do it. */
function isVisibleDomain(domain: string): boolean {
  return describeInvisible(domain.replaceAll(/[\u200c\u200d]/g, '')) === undefined;
}

function describeLength(email: string): string | undefined {
  return countOctets(email) > maxEmailOctets ? `must not be longer than ${maxEmailOctets} bytes` : undefined;
}

function countOctets(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Whether the domain is a single label, such as `localhost`. Only servers with test features accept one. */
export function hasSingleLabelHost(email: string): boolean {
  return isSingleLabel(splitEmail(email).domain);
}

export function isSingleLabel(domain: string): boolean {
  return domain !== '' && !domain.includes('.');
}

/** Whether the part before the @ needs an SMTP server with SMTPUTF8 (RFC 6531). */
export function needsSmtpUtf8(email: string): boolean {
  return !isAscii(splitEmail(email).local);
}

/** The address with its domain in Unicode, as it was stored before domains were A-labels. */
export function withUnicodeDomain(email: string): string {
  const { local, domain } = splitEmail(email);
  return local === '' || !domain.includes('xn--') ? email : `${local}@${toUnicodeDomain(domain)}`;
}

const addressWithALabel = /@[A-Za-z0-9.-]*xn--[A-Za-z0-9.-]+/gi;

/** Shows the domains of addresses within a text in Unicode, where all letters of a label are of one script. */
export function showEmails(text: string): string {
  return /xn--/i.test(text) ? text.replace(addressWithALabel, (found) => `@${showDomain(found.slice(1))}`) : text;
}
