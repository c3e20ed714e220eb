/** Connections through a proxy: each is a tunnel that the proxy opens on CONNECT (RFC 9110, 9.3.6). */
import { connect as connectPlainly, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { buildConnector } from 'undici';
import type { TlsOptions } from './transport.ts';
import { createConnector } from './undici.ts';

export interface ProxyOptions {
  /** With a user name and a password in it where the proxy wants them. */
  readonly url: string;
  readonly tls?: TlsOptions | undefined;
  /** Milliseconds until a connection stands. */
  readonly timeout: number;
}

/** Longer than any head that a proxy has reason to send. */
const maxHeadLength = 16_384;

/** What undici connects by. The proxy sees where a call goes, and of https nothing else. */
export function createProxyConnector({ url, tls, timeout }: ProxyOptions): buildConnector.connector {
  const secure = createConnector({ ...tls, timeout });
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
    const broken = () => fail(new Error('the proxy broke off'));
    const read = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0 && head.length > maxHeadLength) return fail(new Error('the proxy does not speak HTTP'));
      if (end < 0) return;
      const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1')) ?? [];
      if (!status?.startsWith('2')) return fail(new Error(`the proxy answered ${status ?? 'what is no HTTP'}`));
      socket.off('data', read).off('error', fail).off('close', broken).setTimeout(0).pause();
      if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
      resolve(socket);
    };
    socket.on('data', read).on('error', fail).on('close', broken);
    socket.setTimeout(timeout, () => fail(new Error('the proxy does not answer')));
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${proxyAuthorization(proxy)}\r\n`);
  });
}

/** The client certificate is for the server alone, so a proxy gets none. */
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
