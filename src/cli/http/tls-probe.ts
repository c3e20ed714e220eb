/** Finds out whether a port expects TLS, to explain an http request that was closed without an answer. */
import { connect } from 'node:tls';

/** Whether the server completes a TLS handshake, or ends it because of a certificate. Nothing is sent over it. */
export function expectsTls(url: string, timeout: number): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const end = (isTls: boolean) => {
      socket.destroy();
      resolve(isTls);
    };
    const name = /[a-z]/i.test(host) && !host.includes(':') ? { servername: host } : {};
    const socket = connect({ host, port: Number(port || 80), ...name, rejectUnauthorized: false, timeout });
    socket.on('secureConnect', () => end(true));
    for (const event of ['error', 'timeout', 'close']) socket.on(event, () => end(false));
  });
}
