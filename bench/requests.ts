/** Builds raw requests, and sends single requests through node:http. */
import { type IncomingMessage, request } from 'node:http';
import { controlPrefix, servicePrefix } from '../src/contract/prefix.ts';
import type { FloorResponse } from './ipc-messages.ts';
import { userPassword } from './names.ts';

export interface RequestParts {
  readonly method: string;
  readonly path: string;
  /** Empty for none. */
  readonly authorization: string;
}

export function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

/** Returns a request up to its body, with the headers of a typical client library. */
export function head({ method, path, authorization }: RequestParts): string {
  return `${method} ${servicePrefix}${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization === '' ? '' : `Authorization: ${authorization}\r\n`}Accept: application/json\r\n`;
}

/** Returns a request without a body. */
export function bare(parts: RequestParts): string {
  return `${head(parts)}${parts.method === 'GET' ? '' : 'Content-Length: 0\r\n'}\r\n`;
}

/** Returns a request with this JSON body, which must be ASCII. */
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

/** Sends a request to the control plane. @returns the body @throws Error if it is refused */
export async function sendControl(port: number, path: string, json?: Uint8Array): Promise<Buffer> {
  const headers = { accept: '*/*', 'content-type': 'application/json', 'content-length': json?.length ?? 0 };
  const method = path.endsWith('/export') || path.startsWith('/sessions') ? 'GET' : 'POST';
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({ port, method, path: controlPrefix + path, headers }, resolve);
    sent.on('error', reject);
    sent.end(json);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  if ((response.statusCode ?? 500) >= 300)
    throw new Error(`${path}: ${response.statusCode} ${body.toString('utf8', 0, 500)}`);
  return body;
}

/** Headers that node:http adds, also in the floor. */
const addedByNode = new Set(['date', 'connection', 'keep-alive']);

async function read(response: IncomingMessage): Promise<FloorResponse> {
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk;
  const { rawHeaders, statusCode = 0 } = response;
  const headers = rawHeaders.filter((_, at) => !addedByNode.has(rawHeaders[at & ~1]?.toLowerCase() ?? ''));
  return { status: statusCode, headers, body };
}

/** Logs in as a client and returns its access token. */
export function login(port: number, authorization: string): Promise<string> {
  return tokenOf(port, { method: 'POST', path: '/client-identities/login', authorization });
}

/** The client for user logins. */
export const appClientId = 'bench-app';

/** Returns the login request of a user in a generated store. */
export function userLoginParts(userId: string, remember = false): RequestParts {
  const path = `/user-identities/login?clientId=${appClientId}${remember ? '&remember-me=true' : ''}`;
  return { method: 'POST', path, authorization: basic(userId, userPassword) };
}

/** Logs in as a user of a generated store and returns its access token. */
export function loginUser(port: number, userId: string): Promise<string> {
  return tokenOf(port, userLoginParts(userId));
}

async function tokenOf(port: number, parts: RequestParts): Promise<string> {
  const { body } = await requestOnce(port, parts);
  return (JSON.parse(body) as { accessToken: string }).accessToken;
}
