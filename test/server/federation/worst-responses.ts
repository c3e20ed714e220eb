/** SAML responses of the maximum size, each in one dimension, signed with another key than the provider's. */
import { otherSigning, type ResponseOptions } from './saml-responses.ts';

/** Inserts the XML into the assertion. */
export const inAssertion = (xml: string): ResponseOptions => ({
  before: (whole) => whole.replace('</saml:Assertion>', `${xml}</saml:Assertion>`),
});

export const inSignature = (xml: string): ResponseOptions => ({
  after: (whole) => whole.replaceAll('</ds:Signature>', `${xml}</ds:Signature>`),
});

export const repeat = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join('');

/** One attribute with that many typed values, as most providers send them. */
export const attributeValues = (count: number) =>
  `<saml:AttributeStatement><saml:Attribute Name="groups">${repeat(count, (at) => `<saml:AttributeValue xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">group-${at}</saml:AttributeValue>`)}</saml:Attribute></saml:AttributeStatement>`;

const worst: Readonly<Record<string, ResponseOptions>> = {
  elements: inAssertion(`<a>${'<b/>'.repeat(345)}</a>`),
  'elements that are not empty': inAssertion(`<a>${'<b>&amp;</b>'.repeat(345)}</a>`),
  'elements below one another': inAssertion(repeat(31, () => '<a>'.repeat(11) + '</a>'.repeat(11))),
  'values as providers send them': inAssertion(attributeValues(340)),
  attributes: inAssertion(repeat(46, () => `<a ${repeat(16, (at) => `b${at}="" `)}/>`)),
  'name spaces': inAssertion(repeat(48, () => `<a ${repeat(16, (at) => `xmlns:b${at}="u" `)}/>`)),
  'name spaces that are inherited': inAssertion(
    `<a ${repeat(16, (at) => `xmlns:p${at}="${'u'.repeat(250)}" `)}>${repeat(46, () => `<p0:b ${repeat(16, (at) => `p${at}:b${at}="" `)}/>`)}</a>`,
  ),
  'long text': inAssertion(`<a>${'&lt;'.repeat(16_000)}</a>`),
  'many lines': inAssertion(`<a>${'\n'.repeat(60_000)}</a>`),
  'elements of the signature': inSignature(`<ds:KeyInfo>${'<ds:X509Data/>'.repeat(25)}</ds:KeyInfo>`),
};

/** By the most frequent part. */
export const worstResponses: readonly (readonly [string, ResponseOptions])[] = Object.entries(worst).map(
  ([name, options]) => [name, { key: otherSigning, sign: ['Assertion', 'Response'], ...options }],
);
