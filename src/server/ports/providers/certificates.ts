/** Proofs by certificate: a signature, made with the key of a certificate that leads to a trusted authority. */
import { constants, verify } from 'node:crypto';
import type { CertificateProof, ProvenCertificate } from '../../identity/certificate-login.ts';
import type { Reader } from '../../store/store.ts';
import type { Provider } from '../../store/tables.ts';
import type { CertificateFacts } from './certificate-facts.ts';

/** An authority that the store trusts. */
interface Anchor {
  readonly row: Provider;
  readonly certificate: CertificateFacts;
}

/**
 * Whom a proof proves, at an instant (in milliseconds): the certificate is right, leads to a trusted authority, and its
 * key signed the text. Undefined where anything is wrong with it; what that is, is not told.
 */
export async function verifyCertificate(
  reader: Pick<Reader, 'providers'>,
  proof: CertificateProof,
  now: number,
): Promise<ProvenCertificate | undefined> {
  const { readCertificate } = await import('./certificate-facts.ts');
  const leaf = readCertificate(proof.certificate);
  const chain = proof.chain.map(readCertificate);
  if (!leaf || !chain.every((certificate) => certificate !== undefined)) return undefined;
  if (!isOfPerson(leaf, now) || !signed(leaf, proof)) return undefined;
  const anchor = anchorOf(leaf, chain, await anchorsIn(reader, readCertificate), now);
  return anchor && { fingerprint: leaf.fingerprint, emails: leaf.emails, authority: anchor.row };
}

/** A certificate that signs for somebody, and not for other certificates. */
function isOfPerson(leaf: CertificateFacts, now: number): boolean {
  return leaf.sound && inTime(leaf, now) && !leaf.authority && leaf.maySign && leaf.forClients;
}

function inTime({ notBefore, notAfter }: CertificateFacts, now: number): boolean {
  return notBefore <= now && now <= notAfter;
}

async function anchorsIn(
  reader: Pick<Reader, 'providers'>,
  read: (text: string) => CertificateFacts | undefined,
): Promise<Anchor[]> {
  const rows = await reader.providers.find('kind', 'certificateAuthority');
  return rows.flatMap((row) => {
    const certificate = row.kind === 'certificateAuthority' ? read(row.certificate) : undefined;
    return certificate ? [{ row, certificate }] : [];
  });
}

/** A certificate that a path has come to, and how many authorities it has passed by then. */
interface Step {
  readonly certificate: CertificateFacts;
  readonly below: number;
}

/**
 * The trusted authority that a path leads to, by way of the certificates that were sent along. Each of those is come to
 * once, by the shortest path, which is the one that lengths allow if any: so nobody makes us walk in circles.
 */
function anchorOf(
  leaf: CertificateFacts,
  chain: readonly CertificateFacts[],
  anchors: readonly Anchor[],
  now: number,
): Anchor | undefined {
  const steps: Step[] = [{ certificate: leaf, below: 0 }];
  const left = new Set(chain);
  for (const step of steps) {
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
function mayIssue(issuer: CertificateFacts, { certificate, below }: Step, now: number): boolean {
  return (
    issuer.authority &&
    issuer.maySignCertificates &&
    issuer.sound &&
    inTime(issuer, now) &&
    below <= (issuer.pathLength ?? Number.POSITIVE_INFINITY) &&
    certificate.x509.checkIssued(issuer.x509) &&
    certificate.x509.verify(issuer.x509.publicKey)
  );
}

type Algorithm = NonNullable<CertificateProof['algorithm']>;

/** The algorithms that go with a kind of key; the first where none is named. */
const algorithms: Readonly<Record<string, readonly [Algorithm, ...Algorithm[]]>> = {
  rsa: ['RS256', 'PS256'],
  'ec prime256v1': ['ES256'],
};

function signed({ x509: { publicKey } }: CertificateFacts, proof: CertificateProof): boolean {
  const { namedCurve } = publicKey.asymmetricKeyDetails ?? {};
  const known = algorithms[[publicKey.asymmetricKeyType, namedCurve].filter(Boolean).join(' ')];
  const algorithm = proof.algorithm ?? known?.[0];
  if (algorithm === undefined || !known?.includes(algorithm)) return false;
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(proof.signature)) return false;
  const signature = Buffer.from(proof.signature, 'base64');
  const text = Buffer.from(proof.text, 'utf8');
  return verify('sha256', text, { key: publicKey, ...formOf(algorithm, signature) }, signature);
}

/** How a signature is written. One by elliptic curve comes as r and s of 32 bytes each (RFC 7518, 3.4), or in DER. */
function formOf(algorithm: Algorithm, signature: Buffer) {
  switch (algorithm) {
    case 'RS256':
      return { padding: constants.RSA_PKCS1_PADDING };
    case 'PS256':
      return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
    case 'ES256':
      return { dsaEncoding: signature.length === 64 ? ('ieee-p1363' as const) : ('der' as const) };
  }
}
