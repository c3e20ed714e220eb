/** Sends each request once. Clients that repeat requests by themselves would hide what happened to the first. */
import http from 'node:http';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import type { HttpAnswer } from './answer.ts';
import { administrator } from './iam-servers.ts';

/** Milliseconds. Longer than a server takes to find out about a commit. */
const requestTimeout = 80_000;

export class HttpConnection {
  readonly #port: number;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 200 });
  #token = '';

  constructor(port: number) {
    this.#port = port;
  }

  /** Gets a new access token. @throws Error if that is rejected */
  async logIn(): Promise<void> {
    const { clientId, clientSecret } = administrator;
    const authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
    const answer = await this.#send('POST', '/client-identities/login', undefined, authorization);
    if (answer?.status !== 200) throw new Error(`the login was answered with ${answer?.status} ${answer?.body}`);
    this.#token = (JSON.parse(answer.body) as { accessToken: string }).accessToken;
  }

  /** @returns undefined if the connection is lost before the answer */
  send(method: string, pathname: string, body?: object): Promise<HttpAnswer | undefined> {
    return this.#send(method, pathname, body, `Bearer ${this.#token}`);
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, pathname: string, body: object | undefined, authorization: string) {
    return new Promise<HttpAnswer | undefined>((resolve) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        authorization,
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      };
      const options = { host: '127.0.0.1', port: this.#port, method, path: servicePrefix + pathname, headers };
      const request = http.request({ ...options, agent: this.#agent, timeout: requestTimeout }, (response) => {
        let received = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          received += chunk;
        });
        response.on('end', () => {
          const { 'retry-after': retryAfter, link } = response.headers;
          const page = Array.isArray(link) ? link[0] : link;
          resolve({ status: response.statusCode ?? 0, retryAfter, body: received, link: page });
        });
        response.on('close', () => resolve(undefined));
      });
      request.on('timeout', () => request.destroy());
      request.on('error', () => resolve(undefined));
      request.end(text);
    });
  }
}
