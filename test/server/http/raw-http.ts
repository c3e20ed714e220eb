/** Sends raw bytes, so that a test can send what no HTTP client would. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';

export interface RawResponse {
  readonly status: number;
  /** Names in lower case; the last value of a repeated header. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Origin {
  readonly url: string;
}

export async function open({ url }: Origin): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // Only the received data matters, not how the connection closed.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Everything received until the server closes the connection. */
export async function readUntilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(chunks).toString('utf8');
}

/** Writes the bytes and reads until the server closes. @returns all responses. */
export async function exchange(origin: Origin, ...parts: readonly (string | Buffer)[]): Promise<RawResponse[]> {
  const socket = await open(origin);
  const reading = readUntilClosed(socket);
  for (const part of parts) socket.write(part);
  return parseResponses(await reading);
}

/** Like `exchange`, for exactly one response. */
export async function send(origin: Origin, ...parts: readonly (string | Buffer)[]): Promise<RawResponse> {
  const [response, ...others] = await exchange(origin, ...parts);
  if (!response) throw new Error('the server closed the connection without a response');
  if (others.length > 0) throw new Error(`expected one response, received ${others.length + 1}`);
  return response;
}

/** Joins lines to a request head with CRLF and a final empty line. */
export function buildHead(...lines: readonly string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`;
}

export function parseResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const [start = '', ...lines] = rest.slice(0, end < 0 ? undefined : end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(':')[0]?.toLowerCase(), line.replace(/^[^:]*: */, '')]),
    );
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(start)?.[1]);
    const body = end < 0 ? '' : rest.slice(end + 4);
    const length = headers['content-length'] === undefined ? body.length : Number(headers['content-length']);
    const plain = Buffer.from(body).subarray(0, length).toString();
    if (status !== 100) responses.push({ status, headers, text: headers['transfer-encoding'] ? dechunk(body) : plain });
    rest = status === 100 ? body : headers['transfer-encoding'] ? '' : Buffer.from(body).subarray(length).toString();
  }
  return responses;
}

function dechunk(body: string): string {
  return body.replaceAll(/(^|\r\n)[0-9a-f]+\r\n/gi, '').replace(/\r\n\r\n$/, '');
}

/** Asserts the standard error response, whatever layer of the server created it. */
export function expectFailure(response: RawResponse, status: number, code: string): void {
  expect(response).toMatchObject({
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'x-request-id': expect.stringMatching(/^[0-9a-f]{12}-[0-9a-z]+$/),
    },
  });
  expect(JSON.parse(response.text)).toEqual([expect.objectContaining({ code, message: expect.stringMatching(/\S/) })]);
}

/** Asserts that the server still responds. */
export async function expectAlive(origin: Origin): Promise<void> {
  const response = await send(origin, buildHead('GET /healthz HTTP/1.1', 'Host: localhost', 'Connection: close'));
  expect(response).toMatchObject({ status: 200, text: '{"status":"ok"}' });
}
