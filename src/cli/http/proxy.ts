/**
 * Connections through a proxy, as CONNECT tunnels (RFC 9110, 9.3.6). undici's ProxyAgent ignores a user name without a
 * password, waits for the proxy without the connect timeout, and accepts no success status but 200.
 */
import { connect as connectPlainly, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { buildConnector } from 'undici';
import type { TlsOptions } from '../../client/transport.ts';

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
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    const broken = () => fail(new Error('the proxy closed the connection'));
    const read = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0 && head.length > maxHeadLength) return fail(new Error('the proxy response is not HTTP'));
      if (end < 0) return;
      const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1')) ?? [];
      if (!status?.startsWith('2'))
        return fail(new Error(status ? `the proxy responded with ${status}` : 'the proxy response is not HTTP'));
      socket.off('data', read).off('error', fail).off('close', broken).setTimeout(0).pause();
      if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
      resolve(socket);
    };
    socket.on('data', read).on('error', fail).on('close', broken);
    socket.setTimeout(timeout, () => fail(new Error('the proxy does not respond')));
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${proxyAuthorization(proxy)}\r\n`);
  });
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
