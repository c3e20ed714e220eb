/** What a signed SAML assertion says of whom, for whom, and for how long (SAML 2.0 Core, 2; Profiles, 4.1.4). */
import { childrenOf, onlyChild, readXml, type XmlElement } from './xml.ts';

export interface Assertion {
  readonly id: string;
  /** The NameID. */
  readonly subject: string;
  /** Whether the NameID names the same user the next time. */
  readonly lasting: boolean;
  readonly email?: string;
  /** Epoch seconds; from then on it is not taken. */
  readonly expiresAt: number;
}

export interface Expected {
  readonly recipient: string;
  /** Milliseconds. */
  readonly now: number;
}

/** By how much the provider's clock may be ahead of ours. What is over by our clock is over. */
const clockDifferenceMs = 60_000;
const longestSubject = 255;
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
const emailAddress = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
/** Names under which providers send the e-mail address. */
const emailAttributes: readonly (string | undefined)[] = [
  'email',
  'mail',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
];

/** Undefined where it is by another issuer, for another recipient, not in its time, or of nobody. */
export function readAssertion(
  xml: string,
  { entityId }: { entityId: string },
  expected: Expected,
): Assertion | undefined {
  const assertion = readXml(xml);
  const id = assertion.attributes.ID;
  const subject = onlyChild(assertion, 'Subject');
  const nameId = onlyChild(subject, 'NameID');
  const expiresAt = expiryOf(assertion, subject, expected);
  if (!id || !nameId || expiresAt === undefined || !isSubject(nameId.text)) return undefined;
  if (onlyChild(assertion, 'Issuer')?.text !== entityId) return undefined;
  const email = emailOf(assertion, nameId);
  return {
    id,
    subject: nameId.text,
    lasting: nameId.attributes.Format !== transient,
    ...(email === undefined ? {} : { email }),
    expiresAt: Math.floor(expiresAt / 1000),
  };
}

/** A name that can be kept and compared: not empty, of one line, not endless. */
function isSubject(text: string): boolean {
  return text.length <= longestSubject && text.trim() !== '' && !/\p{Control}/u.test(text);
}

/** When it is over: conditions and confirmation hold both. Undefined where one does not hold now. */
function expiryOf(assertion: XmlElement, subject: XmlElement | undefined, expected: Expected): number | undefined {
  const conditions = onlyChild(assertion, 'Conditions');
  if (!conditions || !begun(conditions, expected.now)) return undefined;
  const until = conditions.attributes.NotOnOrAfter;
  const ends = [confirmedUntil(subject, expected), until === undefined ? Number.POSITIVE_INFINITY : instantOf(until)];
  const end = Math.min(...ends.map((each) => each ?? Number.NEGATIVE_INFINITY));
  return expected.now < end ? end : undefined;
}

/** The bearer of the assertion is confirmed by handing it to us, in time. */
function confirmedUntil(subject: XmlElement | undefined, { recipient, now }: Expected): number | undefined {
  const ends = childrenOf(subject, 'SubjectConfirmation').flatMap((confirmation) => {
    const data = onlyChild(confirmation, 'SubjectConfirmationData');
    if (!data || confirmation.attributes.Method !== bearer) return [];
    const end = instantOf(data.attributes.NotOnOrAfter);
    return end !== undefined && data.attributes.Recipient === recipient && begun(data, now) ? [end] : [];
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}

function begun({ attributes: { NotBefore } }: XmlElement, now: number): boolean {
  if (NotBefore === undefined) return true;
  const start = instantOf(NotBefore);
  return start !== undefined && start <= now + clockDifferenceMs;
}

/** An instant in UTC (SAML 2.0 Core, 1.3.3), in milliseconds. */
function instantOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}

/** The one e-mail address that it names: as the NameID itself, or as an attribute. */
function emailOf(assertion: XmlElement, nameId: XmlElement): string | undefined {
  if (nameId.attributes.Format === emailAddress) return nameId.text;
  const values = childrenOf(assertion, 'AttributeStatement')
    .flatMap((statement) => childrenOf(statement, 'Attribute'))
    .filter(({ attributes }) => emailAttributes.includes(attributes.Name))
    .flatMap((found) => childrenOf(found, 'AttributeValue'))
    .map(({ text }) => text);
  const [email, ...others] = new Set(values);
  return others.length === 0 ? email : undefined;
}
