/** SAML responses of a provider, signed with the XML signature library of node-saml. */
import { createRequire } from 'node:module';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import type { Clock } from '../../../src/server/lib/clock.ts';
import { createCertificateLater, type TestCertificate } from './certificates.ts';

const require = createRequire(createRequire(import.meta.url).resolve('@node-saml/node-saml'));
const { SignedXml } = require('xml-crypto') as { SignedXml: new (options: object) => Signer };

interface Signer {
  addReference(reference: object): void;
  computeSignature(xml: string, options: object): void;
  getSignedXml(): string;
}

export const entityId = 'https://idp.example.com/metadata';
export const audience = 'https://iam.example.com/sp';
export const signing = createCertificateLater({ name: 'Signing', key: 'rsa' });
export const otherSigning = createCertificateLater({ name: 'Other signing', key: 'rsa-other' });

export interface ResponseOptions {
  readonly id?: string;
  readonly issuer?: string;
  readonly audience?: string;
  readonly recipient?: string;
  readonly destination?: string;
  readonly status?: string;
  /** Seconds from now. */
  readonly notBefore?: number;
  readonly until?: number;
  /** Expiry of the confirmation, if it differs. */
  readonly confirmedUntil?: number;
  readonly nameId?: string;
  readonly format?: string;
  readonly method?: string;
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
  /** The signed elements. */
  readonly sign?: readonly ('Assertion' | 'Response')[];
  readonly key?: TestCertificate;
  readonly hash?: 'sha256' | 'sha1' | 'sha512';
  /** Changes the XML before it is signed. */
  readonly before?: (xml: string) => string;
  /** Changes the signed XML. */
  readonly after?: (xml: string) => string;
}

/** The server that receives responses, and the clock of their timestamps. */
export interface Receiver {
  readonly url: string;
  readonly clock: Clock;
}

let count = 0;

/** The recipient URL of responses. */
export function recipientOf(server: Receiver): string {
  return `${server.url}${servicePrefix}/user-identities/renew-app-token`;
}

/** In base64, as in the request. */
export function samlResponse(server: Receiver, options: ResponseOptions = {}): string {
  return Buffer.from(samlXml(server, options)).toString('base64');
}

export function samlXml(server: Receiver, options: ResponseOptions = {}): string {
  count += 1;
  const { sign = ['Assertion'], key = signing, hash = 'sha256', before, after } = options;
  const bare = bareXml(server, { id: `_assertion-${count}`, ...options });
  const xml = before?.(bare) ?? bare;
  const signed = sign.reduce((text, name) => signXml(text, name, key, hash), xml);
  return after?.(signed) ?? signed;
}

function bareXml(server: Receiver, options: ResponseOptions): string {
  const recipient = options.recipient ?? recipientOf(server);
  const instant = (seconds: number) => new Date(server.clock.now().getTime() + seconds * 1000).toISOString();
  const [notBefore, until] = [instant(options.notBefore ?? -60), instant(options.until ?? 300)];
  const issuer = `<saml:Issuer>${options.issuer ?? entityId}</saml:Issuer>`;
  const attributes = Object.entries(options.attributes ?? {}).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
  );
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_response-${count}" Version="2.0" IssueInstant="${instant(0)}" Destination="${options.destination ?? recipientOf(server)}">`,
    issuer,
    `<samlp:Status><samlp:StatusCode Value="${options.status ?? 'urn:oasis:names:tc:SAML:2.0:status:Success'}"/></samlp:Status>`,
    `<saml:Assertion ID="${options.id}" Version="2.0" IssueInstant="${instant(0)}">`,
    issuer,
    `<saml:Subject><saml:NameID Format="${options.format ?? 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'}">${options.nameId ?? 'Subject-1'}</saml:NameID>`,
    `<saml:SubjectConfirmation Method="${options.method ?? 'urn:oasis:names:tc:SAML:2.0:cm:bearer'}">`,
    `<saml:SubjectConfirmationData Recipient="${recipient}" NotOnOrAfter="${instant(options.confirmedUntil ?? options.until ?? 300)}"/>`,
    `</saml:SubjectConfirmation></saml:Subject>`,
    `<saml:Conditions NotBefore="${notBefore}" NotOnOrAfter="${until}"><saml:AudienceRestriction><saml:Audience>${options.audience ?? audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${instant(0)}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
    attributes.length === 0 ? '' : `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement>`,
    `</saml:Assertion></samlp:Response>`,
  ].join('');
}

const signatures = {
  sha1: ['http://www.w3.org/2000/09/xmldsig#rsa-sha1', 'http://www.w3.org/2000/09/xmldsig#sha1'],
  sha256: ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'http://www.w3.org/2001/04/xmlenc#sha256'],
  sha512: ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', 'http://www.w3.org/2001/04/xmlenc#sha512'],
};

function signXml(xml: string, name: string, key: TestCertificate, hash: keyof typeof signatures): string {
  const [signatureAlgorithm, digestAlgorithm] = signatures[hash];
  const canonical = 'http://www.w3.org/2001/10/xml-exc-c14n#';
  const signer = new SignedXml({
    privateKey: key.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    publicCert: key.pem,
    signatureAlgorithm,
    canonicalizationAlgorithm: canonical,
  });
  const xpath = `//*[local-name(.)='${name}']`;
  const transforms = ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', canonical];
  signer.addReference({ xpath, transforms, digestAlgorithm });
  const location = { reference: `${xpath}/*[local-name(.)='Issuer']`, action: 'after' };
  signer.computeSignature(xml, { location, prefix: 'ds' });
  return signer.getSignedXml();
}

/** A provider key that is too short. */
export const weakSigning = createCertificateLater({ name: 'Weak', key: 'rsa-weak' });
