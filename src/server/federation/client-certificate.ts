/** The certificate with which the client of a request authenticated in TLS, at this server or at a trusted proxy (RFC 9440). */
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Settings } from '../config/settings.ts';
import { createNetworks } from '../lib/ip-networks.ts';
import { isDirectlyFrom, isProxied } from '../lib/request-source.ts';
import type { CertificateChain } from './certificate-login.ts';

export type CertificateReader = (request: IncomingMessage) => CertificateChain | undefined;

/** As many certificates of a chain as the operation accepts. */
const maxChainLength = 5;

export function createCertificateReader({
  loginCertificates,
  trustedProxies,
}: Pick<Settings, 'loginCertificates' | 'trustedProxies'>): CertificateReader {
  if (loginCertificates === 'tls') return readPeerCertificate;
  if (loginCertificates === undefined) return () => undefined;
  const trusted = createNetworks(trustedProxies);
  return (request) => (isDirectlyFrom(request, trusted) ? readForwardedCertificate(request) : undefined);
}

/** Behind a proxy it would be that of the proxy. */
function readPeerCertificate(request: IncomingMessage): CertificateChain | undefined {
  const { socket } = request;
  const leaf = socket instanceof TLSSocket && !isProxied(request) ? socket.getPeerX509Certificate() : undefined;
  if (!leaf) return undefined;
  const chain: string[] = [];
  for (let next = leaf.issuerCertificate; next && chain.length < maxChainLength; next = next.issuerCertificate)
    chain.push(next.toString());
  return { certificate: leaf.toString(), chain };
}

/** Byte sequences (RFC 8941, 3.3.5). */
function readForwardedCertificate({ headers }: IncomingMessage): CertificateChain | undefined {
  const [certificate, ...others] = readByteSequences(headers['client-cert']);
  if (certificate === undefined || others.length > 0) return undefined;
  return { certificate, chain: readByteSequences(headers['client-cert-chain']).slice(0, maxChainLength) };
}

function readByteSequences(header: string | string[] | undefined): string[] {
  const items = [header ?? []].flat().flatMap((line) => line.split(','));
  return items.map((item) => /^\s*:([A-Za-z0-9+/=]+):\s*$/.exec(item)?.[1] ?? '');
}
