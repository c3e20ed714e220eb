/** Connections through a proxy. A file of its own, since hardly anybody needs it: it brings undici's agents along. */
import type { Dispatcher, ProxyAgent as ProxyAgentClass } from 'undici';
// @ts-expect-error undici gives types for its index only
import untypedProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import type { TlsOptions } from './transport.ts';

const ProxyAgent = untypedProxyAgent as typeof ProxyAgentClass;

export interface ProxyOptions {
  /** With a user name and a password in it where the proxy wants them. */
  readonly url: string;
  readonly tls?: TlsOptions | undefined;
  /** Milliseconds until a connection stands. */
  readonly connect?: number | undefined;
}

/** Tunnels every connection through the proxy, which sees where a call goes, and of https nothing else. */
export function throughProxy({ url, tls, connect }: ProxyOptions): Dispatcher {
  const timeout = connect === undefined ? {} : { timeout: connect };
  // The client certificate is for the server alone.
  const proxyTls = tls?.ca === undefined ? timeout : { ...timeout, ca: tls.ca };
  return new ProxyAgent({ uri: url, requestTls: { ...tls, ...timeout }, proxyTls: { ...proxyTls } });
}
