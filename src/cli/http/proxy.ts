/**
 * Connections through a proxy, as CONNECT tunnels (RFC 9110, 9.3.6). undici's ProxyAgent ignores a user name without a
 * password, waits for the proxy without the connect timeout, and accepts no success status but 200.
 */
import { connect as connectPlainly, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { buildConnector } from 'undici';
import { NetworkError } from '../../client/errors.ts';
import type { TlsOptions } from '../../client/transport.ts';
import { getNetworkExitCode } from '../exit-codes.ts';

export interface ProxyOptions {
  /** May contain the user name and the password for the proxy. */
  readonly url: string;
  readonly tls?: TlsOptions | undefined;
  /** Milliseconds for opening a connection. */
  readonly timeout: number;
}

/** Maximum length of the response head of the proxy, in bytes. */
const maxHeadLength = 16_384;

/** Returns an undici connector. For https, the proxy sees only the host and the port. */
export function createProxyConnector({ url, tls, timeout }: ProxyOptions): buildConnector.connector {
  const secure = buildConnector({ ...tls, timeout });
  return (options, callback) => {
    const port = options.port || (options.protocol === 'https:' ? '443' : '80');
    const host = options.hostname.includes(':') ? `[${options.hostname.replace(/^\[|\]$/g, '')}]` : options.hostname;
    openTunnel(new URL(url), `${host}:${port}`, tls, timeout).then(
      (socket) => {
        if (options.protocol === 'https:') secure({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: Error) => callback(error, null),
    );
  };
}

function openTunnel(proxy: URL, target: string, tls: TlsOptions | undefined, timeout: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectToProxy(proxy, tls);
    let head = Buffer.alloc(0);
    const fail = (error: NetworkError) => {
      socket.destroy();
      reject(error);
    };
    const onError = (cause: Error) => fail(proxyError(proxy, describeCause(cause), codeOf(cause), cause));
    const broken = () => fail(proxyError(proxy, 'closed the connection'));
    const notHttp = () => fail(proxyError(proxy, 'does not respond with HTTP', 'PROXY_REJECTED'));
    const read = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0 && head.length > maxHeadLength) return notHttp();
      if (end < 0) return;
      const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1')) ?? [];
      if (status === undefined) return notHttp();
      if (!status.startsWith('2'))
        return fail(proxyError(proxy, `responded with ${status}`, isBusy(status) ? undefined : 'PROXY_REJECTED'));
      socket.off('data', read).off('error', onError).off('close', broken).setTimeout(0).pause();
      if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
      resolve(socket);
    };
    socket.on('data', read).on('error', onError).on('close', broken);
    socket.setTimeout(timeout, () => fail(proxyError(proxy, 'does not respond')));
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${proxyAuthorization(proxy)}\r\n`);
  });
}

/** A failure of the proxy; the request was not sent. */
function proxyError(proxy: URL, reason: string, code = 'PROXY_UNAVAILABLE', cause?: unknown): NetworkError {
  return new NetworkError(`The proxy ${proxy.origin} ${reason}.`, code, cause);
}

/** A proxy that cannot reach the server now, as opposed to one that does not allow it. */
function isBusy(status: string): boolean {
  return status === '429' || status.startsWith('5');
}

/** Whether a failed connection to the proxy can succeed later, as to a server. */
function codeOf(cause: Error): string {
  const { code = '' } = cause as NodeJS.ErrnoException;
  return getNetworkExitCode(code) === 75 ? 'PROXY_UNAVAILABLE' : 'PROXY_REJECTED';
}

function describeCause(cause: Error): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'refused the connection';
  if (code === 'ENOTFOUND') return 'was not found';
  return `cannot be used: ${cause.message}`;
}

/** Sends no client certificate to the proxy: it is for the server only. */
function connectToProxy({ protocol, hostname, port }: URL, tls: TlsOptions | undefined): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol !== 'https:') return connectPlainly({ host, port: Number(port || 80) });
  const trusted = tls?.ca === undefined ? {} : { ca: tls.ca };
  return connectSecurely({ host, port: Number(port || 443), servername: host, ...trusted });
}

function proxyAuthorization({ username, password }: URL): string {
  if (username === '') return '';
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Proxy-Authorization: Basic ${Buffer.from(pair, 'utf8').toString('base64')}\r\n`;
}
