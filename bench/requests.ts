/** The text of requests, and single ones sent the ordinary way. */
import { type IncomingMessage, request } from 'node:http';
import { servicePrefix } from '../src/contract/prefix.ts';
import type { FloorResponse } from './ipc-messages.ts';
import { userPassword } from './names.ts';

export interface RequestParts {
  readonly method: string;
  readonly path: string;
  /** Empty where there is none. */
  readonly authorization: string;
}

export function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

/** A request up to its body, with the headers that a client library sends. */
export function head({ method, path, authorization }: RequestParts): string {
  return `${method} ${servicePrefix}${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization === '' ? '' : `Authorization: ${authorization}\r\n`}Accept: application/json\r\n`;
}

/** A request without a body. */
export function bare(parts: RequestParts): string {
  return `${head(parts)}${parts.method === 'GET' ? '' : 'Content-Length: 0\r\n'}\r\n`;
}

/** A request with this JSON, which must be ASCII. */
export function withJson(parts: RequestParts, json: string): string {
  return `${head(parts)}Content-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
}

/** Sends one request. */
export function requestOnce(port: number, parts: RequestParts, json?: string): Promise<FloorResponse> {
  const { method, path, authorization } = parts;
  const headers = { authorization, ...(json === undefined ? {} : { 'content-type': 'application/json' }) };
  return new Promise((resolve, reject) => {
    const sent = request({ port, method, path: servicePrefix + path, headers }, (response) =>
      read(response).then(resolve, reject),
    );
    sent.on('error', reject);
    sent.end(json);
  });
}

/** These come from node:http itself, ours or the floor's. */
const addedByNode = new Set(['date', 'connection', 'keep-alive']);

async function read(response: IncomingMessage): Promise<FloorResponse> {
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk;
  const { rawHeaders, statusCode = 0 } = response;
  const headers = rawHeaders.filter((_, at) => !addedByNode.has(rawHeaders[at & ~1]?.toLowerCase() ?? ''));
  return { status: statusCode, headers, body };
}

/** An access token of the client that these credentials are of. */
export function login(port: number, authorization: string): Promise<string> {
  return tokenOf(port, { method: 'POST', path: '/client-identities/login', authorization });
}

/** The client that users log in through. */
export const appClientId = 'bench-app';

/** The login of a user of a made store. */
export function userLoginParts(userId: string, remember = false): RequestParts {
  const path = `/user-identities/login?clientId=${appClientId}${remember ? '&remember-me=true' : ''}`;
  return { method: 'POST', path, authorization: basic(userId, userPassword) };
}

/** An access token of a user of a made store. */
export function loginUser(port: number, userId: string): Promise<string> {
  return tokenOf(port, userLoginParts(userId));
}

async function tokenOf(port: number, parts: RequestParts): Promise<string> {
  const { body } = await requestOnce(port, parts);
  return (JSON.parse(body) as { accessToken: string }).accessToken;
}
