/** Reads subject, audience and validity of a signed SAML assertion (SAML 2.0 Core, 2; Profiles, 4.1.4). */
import { isSubject } from './subjects.ts';
import { childrenOf, onlyChild, parseXml, type XmlElement } from './xml.ts';

export interface SamlAssertion {
  readonly id: string;
  /** The NameID. */
  readonly subject: string;
  /** Whether the NameID identifies the same user in later assertions. */
  readonly persistent: boolean;
  readonly email?: string;
  /** Expiry in epoch seconds. */
  readonly expiresAt: number;
}

export interface AssertionExpectations {
  readonly recipient: string;
  /** Milliseconds. */
  readonly now: number;
}

/** How far the provider's clock may be ahead. There is no tolerance for expired assertions. */
const clockToleranceMs = 60_000;
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
const emailAddress = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
/** Attribute names that providers use for the e-mail address. */
const emailAttributes: readonly (string | undefined)[] = [
  'email',
  'mail',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
];

/** Returns undefined if issuer, recipient or subject do not match, or the assertion is not valid now. */
export function readAssertion(
  xml: string,
  { entityId }: { entityId: string },
  expected: AssertionExpectations,
): SamlAssertion | undefined {
  const assertion = parseXml(xml);
  const id = assertion.attributes.ID;
  const subject = onlyChild(assertion, 'Subject');
  const nameId = onlyChild(subject, 'NameID');
  const expiresAt = findAssertionExpiry(assertion, subject, expected);
  if (!id || !nameId || expiresAt === undefined || !isSubject(nameId.text)) return undefined;
  if (onlyChild(assertion, 'Issuer')?.text !== entityId) return undefined;
  const email = findEmail(assertion, nameId);
  return {
    id,
    subject: nameId.text,
    persistent: nameId.attributes.Format !== transient,
    ...(email === undefined ? {} : { email }),
    expiresAt: Math.floor(expiresAt / 1000),
  };
}

/** The expiry, from both conditions and confirmation. Undefined if one of them is not satisfied now. */
function findAssertionExpiry(
  assertion: XmlElement,
  subject: XmlElement | undefined,
  expected: AssertionExpectations,
): number | undefined {
  const conditions = onlyChild(assertion, 'Conditions');
  if (!conditions || !hasBegun(conditions, expected.now)) return undefined;
  const until = conditions.attributes.NotOnOrAfter;
  const ends = [
    findConfirmationExpiry(subject, expected),
    until === undefined ? Number.POSITIVE_INFINITY : parseInstant(until),
  ];
  const end = Math.min(...ends.map((each) => each ?? Number.NEGATIVE_INFINITY));
  return expected.now < end ? end : undefined;
}

/** The expiry of the bearer confirmation for this recipient. */
function findConfirmationExpiry(
  subject: XmlElement | undefined,
  { recipient, now }: AssertionExpectations,
): number | undefined {
  const ends = childrenOf(subject, 'SubjectConfirmation').flatMap((confirmation) => {
    const data = onlyChild(confirmation, 'SubjectConfirmationData');
    if (!data || confirmation.attributes.Method !== bearer) return [];
    const end = parseInstant(data.attributes.NotOnOrAfter);
    return end !== undefined && data.attributes.Recipient === recipient && hasBegun(data, now) ? [end] : [];
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}

function hasBegun({ attributes: { NotBefore } }: XmlElement, now: number): boolean {
  if (NotBefore === undefined) return true;
  const start = parseInstant(NotBefore);
  return start !== undefined && start <= now + clockToleranceMs;
}

/** An instant in UTC (SAML 2.0 Core, 1.3.3), in milliseconds. */
function parseInstant(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}

/** The e-mail address of the assertion, from the NameID or an attribute; undefined if there are several. */
function findEmail(assertion: XmlElement, nameId: XmlElement): string | undefined {
  if (nameId.attributes.Format === emailAddress) return nameId.text;
  const values = childrenOf(assertion, 'AttributeStatement')
    .flatMap((statement) => childrenOf(statement, 'Attribute'))
    .filter(({ attributes }) => emailAttributes.includes(attributes.Name))
    .flatMap((found) => childrenOf(found, 'AttributeValue'))
    .map(({ text }) => text);
  const [email, ...others] = new Set(values);
  return others.length === 0 ? email : undefined;
}
