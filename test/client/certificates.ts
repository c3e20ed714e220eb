/** A certificate authority for TLS tests. */
import {
  createCertificate,
  createAuthority as createIssuer,
  der,
  sequence,
} from '../server/federation/certificates.ts';

export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  /** The certificate of the authority, in PEM. */
  readonly cert: string;
  /** Issues a certificate for this name and these hosts. */
  issue(name: string, hosts?: readonly string[]): CertificatePair;
}

/** Creates an authority. */
export function createTlsAuthority(name: string): Authority {
  const issuer = createIssuer({ name, from: '2020-01-01', until: '2090-01-01' });
  return {
    cert: issuer.pem,
    issue: (subject, hosts = []) => {
      const names = sequence(...hosts.map(nameOfHost));
      const extensions = hosts.length === 0 ? [] : [['2.5.29.17', false, names] as const];
      const options = { name: subject, issuer, key: 'ec-other', from: '2020-01-01', until: '2090-01-01' } as const;
      const { pem, privateKey } = createCertificate({ ...options, extensions });
      return { cert: pem, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
    },
  };
}

function nameOfHost(host: string): Buffer {
  return /^[\d.]+$/.test(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));
}
