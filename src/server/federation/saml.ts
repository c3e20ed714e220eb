/**
 * Verifies SAML 2.0 responses. node-saml verifies the signature and returns the signed XML, from which everything else is
 * read, with the server clock. Before that, the response must have the one unambiguous structure: one assertion, in its
 * expected position, with signatures of allowed algorithms.
 */

import type { Reader } from '../store/store.ts';
import type { Provider } from '../store/tables.ts';
import type { FederatedAssertion } from './federated-login.ts';
import { readAssertion, type SamlAssertion } from './saml-assertion.ts';
import { childrenOf, onlyChild, parseXml, walkElements, type XmlElement, type XmlLimits } from './xml.ts';

type SamlProvider = Extract<Provider, { kind: 'saml' }>;

export interface SamlReceiver {
  readonly reader: Pick<Reader, 'providers'>;
  /** The URL of the operation that accepts responses; responses for another recipient are rejected. */
  readonly recipient: string;
  /** Milliseconds. */
  readonly now: number;
}

/** Verifies a response (`encoded`: base64). Returns undefined for an invalid response, without the reason. */
export async function verifySamlResponse(
  encoded: string,
  receiver: SamlReceiver,
): Promise<FederatedAssertion | undefined> {
  const xml = decodeResponse(encoded);
  const shape = xml && readResponseShape(xml, receiver.recipient);
  if (!shape) return undefined;
  for (const row of await receiver.reader.providers.find('kind', 'saml')) {
    if (row.kind !== 'saml' || row.entityId !== shape.issuer) continue;
    const assertion = await verifyAssertion(encoded, row, { ...receiver, ...shape });
    if (assertion) return toFederatedAssertion(row, assertion);
  }
  return undefined;
}

function decodeResponse(encoded: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

/** The structure of a response, before its signature is verified. */
interface ResponseShape {
  readonly issuer: string;
  readonly responseSigned: boolean;
  readonly assertionSigned: boolean;
}

function readResponseShape(xml: string, recipient: string): ResponseShape | undefined {
  try {
    const response = parseXml(xml, limits);
    const assertion = onlyChild(response, 'Assertion');
    if (!assertion || !hasExpectedStructure(response, assertion, recipient)) return undefined;
    const [responseSigned, assertionSigned] = [response, assertion].map((each) => countSignatures(each) === 1);
    const issuer = onlyChild(assertion, 'Issuer')?.text;
    if (issuer === undefined || !(responseSigned || assertionSigned)) return undefined;
    return { issuer, responseSigned: responseSigned === true, assertionSigned: assertionSigned === true };
  } catch {
    return undefined;
  }
}

function countSignatures(element: XmlElement): number {
  return childrenOf(element, 'Signature').length;
}

/**
 * Providers send about 30 elements, and two per attribute or group of the user, of which they send 150 at most.
 * test/security/saml-cost.test.ts measures the cost of the worst response within these limits.
 */
const limits: XmlLimits = {
  depth: 16,
  elements: 400,
  names: 64,
  attributesEach: 16,
  attributes: 800,
  declarationsEach: 16,
  declarations: 800,
  namespaceLength: 256,
};
/** node-saml traverses a signature many times: it has 12 elements, plus those of KeyInfo. */
const maxSignatureElements = 40;
/** node-saml searches the prefixes of InclusiveNamespaces in each attribute. */
const maxPrefixListLength = 256;

function isSmallSignature(signature: XmlElement): boolean {
  const all = [...walkElements(signature)];
  return all.length <= maxSignatureElements && all.filter(({ name }) => name === 'Reference').length === 1;
}

/** Allowed children of a response; extensions are ignored. */
const allowedChildren: ReadonlySet<string> = new Set(['Issuer', 'Signature', 'Extensions', 'Status', 'Assertion']);
const success = 'urn:oasis:names:tc:SAML:2.0:status:Success';

/** Prevents XML signature wrapping: each element must occur once, in its expected position. */
function hasExpectedStructure(response: XmlElement, assertion: XmlElement, recipient: string): boolean {
  const all = [...walkElements(response)];
  const count = (elementName: string) => all.filter(({ name }) => name === elementName).length;
  const ids = all.flatMap(({ attributes }) =>
    Object.entries(attributes).flatMap(([name, value]) => (name.toLowerCase() === 'id' ? [value] : [])),
  );
  return (
    response.name === 'Response' &&
    response.children.every(({ name }) => allowedChildren.has(name)) &&
    count('Response') === 1 &&
    count('Assertion') === 1 &&
    count('EncryptedAssertion') === 0 &&
    count('Signature') === countSignatures(response) + countSignatures(assertion) &&
    Math.max(countSignatures(response), countSignatures(assertion)) <= 1 &&
    [response, assertion].flatMap((each) => childrenOf(each, 'Signature')).every(isSmallSignature) &&
    all.every(({ attributes }) => (attributes.PrefixList?.length ?? 0) <= maxPrefixListLength) &&
    new Set(ids).size === ids.length &&
    all.every(({ attributes }) => attributes.Algorithm === undefined || allowedAlgorithms.has(attributes.Algorithm)) &&
    (onlyChild(response, 'Issuer')?.text ?? readIssuer(assertion)) === readIssuer(assertion) &&
    onlyChild(onlyChild(response, 'Status'), 'StatusCode')?.attributes.Value === success &&
    (response.attributes.Destination || recipient) === recipient
  );
}

function readIssuer(assertion: XmlElement): string | undefined {
  return onlyChild(assertion, 'Issuer')?.text;
}

/** RSA with SHA-256 and SHA-512, and exclusive canonicalization. SHA-1 and HMAC are not allowed. */
const allowedAlgorithms: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
  'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
  'http://www.w3.org/2001/10/xml-exc-c14n#',
  'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
]);

async function verifyAssertion(
  encoded: string,
  provider: SamlProvider,
  receiver: SamlReceiver & ResponseShape,
): Promise<SamlAssertion | undefined> {
  // Loaded on demand: most servers never receive a SAML response.
  const { extractSignedAssertion } = await import('./saml-signature.ts');
  const signedXml = await extractSignedAssertion(encoded, provider, receiver);
  return signedXml === undefined ? undefined : readAssertion(signedXml, provider, receiver);
}

function toFederatedAssertion(provider: SamlProvider, assertion: SamlAssertion): FederatedAssertion {
  const { subject, persistent, email, expiresAt } = assertion;
  return {
    provider,
    subject,
    persistent,
    ...(email === undefined ? {} : { email }),
    replayKey: `saml\n${provider.entityId}\n${assertion.id}`,
    expiresAt,
  };
}
