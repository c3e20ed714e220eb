/** Proofs by certificate: a signature, made with the key of a certificate that leads to a trusted authority. */
import { constants, verify } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { CertificateAssertion, VerifiedCertificate } from '../../identity/certificate-login.ts';
import type { Reader } from '../../store/store.ts';
import type { Provider } from '../../store/tables.ts';
import type { ParsedCertificate } from './certificate-parser.ts';

/** An authority that the store trusts. */
interface TrustAnchor {
  readonly row: Provider;
  readonly certificate: ParsedCertificate;
}

/**
 * Whom a proof proves, at an instant (in milliseconds): the certificate is right, leads to a trusted authority, and its
 * key signed the text. Undefined where anything is wrong with it; what that is, is not told.
 */
export async function verifyCertificate(
  reader: Pick<Reader, 'providers'>,
  assertion: CertificateAssertion,
  now: number,
): Promise<VerifiedCertificate | undefined> {
  const rows = await reader.providers.find('kind', 'certificateAuthority');
  // Without an authority nothing leads to one, and the library need not be loaded for a stranger.
  if (rows.length === 0) return undefined;
  const { parseCertificate: readCertificate } = await import('./certificate-parser.ts');
  const leaf = readCertificate(assertion.certificate);
  if (!leaf || !isClientCertificate(leaf, now) || !isSignatureValid(leaf, assertion)) return undefined;
  const chain = await readCertificates(assertion.chain, readCertificate);
  const anchors = chain && (await readTrustAnchors(rows, readCertificate));
  const anchor = anchors && (await findTrustAnchor(leaf, chain, anchors, now));
  return anchor && { fingerprint: leaf.fingerprint, emails: leaf.emails, authority: anchor.row };
}

type ParseCertificate = (text: string) => ParsedCertificate | undefined;

/** All of them, or undefined where one is none. Reading one takes a while, so each has a turn of its own. */
async function readCertificates(
  texts: readonly string[],
  read: ParseCertificate,
): Promise<ParsedCertificate[] | undefined> {
  const certificates: ParsedCertificate[] = [];
  for (const text of texts) {
    await setImmediate();
    const certificate = read(text);
    if (!certificate) return undefined;
    certificates.push(certificate);
  }
  return certificates;
}

/** A certificate that signs for somebody, and not for other certificates. */
function isClientCertificate(leaf: ParsedCertificate, now: number): boolean {
  return leaf.strong && isWithinValidity(leaf, now) && !leaf.authority && leaf.maySign && leaf.allowsClientAuth;
}

function isWithinValidity({ notBefore, notAfter }: ParsedCertificate, now: number): boolean {
  return notBefore <= now && now <= notAfter;
}

/** Rows do not change in place, so what was read of one holds as long as the row is there. */
const parsedByRow = new WeakMap<Provider, ParsedCertificate>();

async function readTrustAnchors(rows: readonly Provider[], read: ParseCertificate): Promise<TrustAnchor[]> {
  const anchors: TrustAnchor[] = [];
  for (const row of rows) {
    const known = parsedByRow.get(row);
    if (!known) await setImmediate();
    const certificate = known ?? (row.kind === 'certificateAuthority' ? read(row.certificate) : undefined);
    if (!certificate) continue;
    parsedByRow.set(row, certificate);
    anchors.push({ row, certificate });
  }
  return anchors;
}

/** A certificate that a path has come to, and how many authorities it has passed by then. */
interface PathStep {
  readonly certificate: ParsedCertificate;
  readonly below: number;
}

/**
 * The trusted authority that a path leads to, by way of the certificates that were sent along. Each of those is come to
 * once, by the shortest path, which is the one that lengths allow if any: so there are no circles to walk in. Each step
 * checks a signature by each that may have made it, and has a turn of its own.
 */
async function findTrustAnchor(
  leaf: ParsedCertificate,
  chain: readonly ParsedCertificate[],
  anchors: readonly TrustAnchor[],
  now: number,
): Promise<TrustAnchor | undefined> {
  const steps: PathStep[] = [{ certificate: leaf, below: 0 }];
  const left = new Set(chain);
  for (const step of steps) {
    await setImmediate();
    const found = anchors.find(({ certificate }) => mayIssue(certificate, step, now));
    if (found) return found;
    for (const next of left) {
      if (!mayIssue(next, step, now)) continue;
      left.delete(next);
      steps.push({ certificate: next, below: step.below + 1 });
    }
  }
  return undefined;
}

/** Whether it is an authority, may have as many authorities below it as there are, and issued the certificate. */
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

/** The algorithms that go with a kind of key; the first where none is named. */
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

/** How a signature is written. One by elliptic curve comes as r and s of 32 bytes each (RFC 7518, 3.4), or in DER. */
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
