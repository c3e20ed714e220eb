/** Verifies certificate assertions: a signature by the key of a certificate with a path to a trusted authority. */
import { constants, verify } from 'node:crypto';
import { nextTurn } from '../../lib/host.ts';
import type { Derivation, RowCache } from '../store/derived-values.ts';
import type { Reader } from '../store/store.ts';
import type { Provider } from '../store/tables.ts';
import type { CertificateAssertion, CertificateChain, VerifiedCertificate } from './certificate-login.ts';
import type { ParsedCertificate } from './certificate-parser.ts';

interface TrustAnchor {
  readonly row: Provider;
  readonly certificate: ParsedCertificate;
}

/**
 * Verifies an assertion at an instant (in milliseconds): the certificate is valid, has a path to a trusted authority, and
 * its key signed the text. Returns undefined for an invalid assertion, without the reason.
 */
export function verifyCertificate(
  reader: Pick<Reader, 'providers'>,
  assertion: CertificateAssertion,
  now: number,
): Promise<VerifiedCertificate | undefined> {
  return verifyPath(reader, assertion, now, (leaf) => isSignatureValid(leaf, assertion));
}

/** The same for a certificate whose key the TLS handshake verified. */
export function verifyTlsCertificate(
  reader: Pick<Reader, 'providers'>,
  sent: CertificateChain,
  now: number,
): Promise<VerifiedCertificate | undefined> {
  return verifyPath(reader, sent, now, () => true);
}

async function verifyPath(
  reader: Pick<Reader, 'providers'>,
  sent: CertificateChain,
  now: number,
  isKeyProven: (leaf: ParsedCertificate) => boolean,
): Promise<VerifiedCertificate | undefined> {
  const rows = await reader.providers.find('kind', 'certificateAuthority');
  // Without a trusted authority no path exists, and an unauthenticated caller must not cause the library to load.
  if (rows.length === 0) return undefined;
  const { parseCertificate } = await import('./certificate-parser.ts');
  const leaf = parseCertificate(sent.certificate);
  if (!leaf || !isClientCertificate(leaf, now) || !isKeyProven(leaf)) return undefined;
  const chain = await readCertificates(sent.chain, parseCertificate);
  const anchors =
    chain && (await readTrustAnchors(reader.providers.rowCache(parsedCertificates), rows, parseCertificate));
  const anchor = anchors && (await findTrustAnchor(leaf, chain, anchors, now));
  return anchor && { fingerprint: leaf.fingerprint, emails: leaf.emails, authority: anchor.row };
}

type ParseCertificate = (text: string) => ParsedCertificate | undefined;

/** Parses all certificates; undefined if one is invalid. Each is parsed in its own event-loop turn, since it takes long. */
async function readCertificates(
  texts: readonly string[],
  parse: ParseCertificate,
): Promise<ParsedCertificate[] | undefined> {
  const certificates: ParsedCertificate[] = [];
  for (const text of texts) {
    await nextTurn();
    const certificate = parse(text);
    if (!certificate) return undefined;
    certificates.push(certificate);
  }
  return certificates;
}

/** Whether a certificate is an end-entity certificate for signing and client authentication. */
function isClientCertificate(leaf: ParsedCertificate, now: number): boolean {
  return leaf.strong && isWithinValidity(leaf, now) && !leaf.authority && leaf.maySign && leaf.allowsClientAuth;
}

function isWithinValidity({ notBefore, notAfter }: ParsedCertificate, now: number): boolean {
  return notBefore <= now && now <= notAfter;
}

const parsedCertificates: Derivation<ParsedCertificate> = { name: 'parsed certificates' };

async function readTrustAnchors(
  cache: RowCache<Provider, ParsedCertificate>,
  rows: readonly Provider[],
  parse: ParseCertificate,
): Promise<TrustAnchor[]> {
  const anchors: TrustAnchor[] = [];
  for (const row of rows) {
    const known = cache.get(row);
    if (!known) await nextTurn();
    const certificate = known ?? (row.kind === 'certificateAuthority' ? parse(row.certificate) : undefined);
    if (!certificate) continue;
    cache.set(row, certificate);
    anchors.push({ row, certificate });
  }
  return anchors;
}

/** A certificate on a path, and the number of authorities below it. */
interface PathStep {
  readonly certificate: ParsedCertificate;
  readonly below: number;
}

/**
 * Finds the trusted authority at the end of a path through the certificates of the chain. Breadth-first: each certificate
 * is visited once, by its shortest path, which is the one that path lengths allow if any, so there are no cycles. Each
 * step verifies a signature per candidate issuer, in its own event-loop turn.
 */
async function findTrustAnchor(
  leaf: ParsedCertificate,
  chain: readonly ParsedCertificate[],
  anchors: readonly TrustAnchor[],
  now: number,
): Promise<TrustAnchor | undefined> {
  const steps: PathStep[] = [{ certificate: leaf, below: 0 }];
  const unvisited = new Set(chain);
  for (const step of steps) {
    await nextTurn();
    const found = anchors.find(({ certificate }) => mayIssue(certificate, step, now));
    if (found) return found;
    for (const next of unvisited) {
      if (!mayIssue(next, step, now)) continue;
      unvisited.delete(next);
      steps.push({ certificate: next, below: step.below + 1 });
    }
  }
  return undefined;
}

/** Whether it is an authority that issued the certificate and whose path length allows the authorities below. */
function mayIssue(issuer: ParsedCertificate, { certificate, below }: PathStep, now: number): boolean {
  return (
    issuer.authority &&
    issuer.maySignCertificates &&
    issuer.strong &&
    isWithinValidity(issuer, now) &&
    below <= (issuer.pathLength ?? Number.POSITIVE_INFINITY) &&
    certificate.x509.checkIssued(issuer.x509) &&
    certificate.x509.verify(issuer.x509.publicKey)
  );
}

type Algorithm = NonNullable<CertificateAssertion['algorithm']>;

/** Algorithms by key type; the first is the default. */
const algorithms: Readonly<Record<string, readonly [Algorithm, ...Algorithm[]]>> = {
  rsa: ['RS256', 'PS256'],
  'ec prime256v1': ['ES256'],
};

function isSignatureValid({ x509: { publicKey } }: ParsedCertificate, assertion: CertificateAssertion): boolean {
  const { namedCurve } = publicKey.asymmetricKeyDetails ?? {};
  const known = algorithms[[publicKey.asymmetricKeyType, namedCurve].filter(Boolean).join(' ')];
  const algorithm = assertion.algorithm ?? known?.[0];
  if (algorithm === undefined || !known?.includes(algorithm)) return false;
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(assertion.signature)) return false;
  const signature = Buffer.from(assertion.signature, 'base64');
  const text = Buffer.from(assertion.text, 'utf8');
  return verify('sha256', text, { key: publicKey, ...selectSignatureOptions(algorithm, signature) }, signature);
}

/** Signature options. An ECDSA signature is r and s of 32 bytes each (RFC 7518, 3.4), or DER. */
function selectSignatureOptions(algorithm: Algorithm, signature: Buffer) {
  switch (algorithm) {
    case 'RS256':
      return { padding: constants.RSA_PKCS1_PADDING };
    case 'PS256':
      return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
    case 'ES256':
      return { dsaEncoding: signature.length === 64 ? ('ieee-p1363' as const) : ('der' as const) };
  }
}
