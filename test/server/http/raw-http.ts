/** Sends bytes as they are, so that a test can say what no HTTP client would. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case; of a repeated one the last. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Origin {
  readonly url: string;
}

export async function open({ url }: Origin): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // What matters is what the server said before it closed, not that it closed.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Everything that comes until the server closes the connection. */
export async function readUntilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(chunks).toString('utf8');
}

/** Writes this and reads until the server closes. @returns every answer that came. */
export async function exchange(origin: Origin, ...parts: readonly (string | Buffer)[]): Promise<RawAnswer[]> {
  const socket = await open(origin);
  const reading = readUntilClosed(socket);
  for (const part of parts) socket.write(part);
  return parseAnswers(await reading);
}

/** As `exchange`, where one answer is due. */
export async function send(origin: Origin, ...parts: readonly (string | Buffer)[]): Promise<RawAnswer> {
  const [answer, ...others] = await exchange(origin, ...parts);
  if (!answer) throw new Error('the server closed the connection without an answer');
  if (others.length > 0) throw new Error(`one answer was due, ${others.length + 1} came`);
  return answer;
}

/** Lines as a head: each ended as HTTP wants it, and an empty one after them. */
export function buildHead(...lines: readonly string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`;
}

export function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
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
    const taken = Buffer.from(body).subarray(0, length).toString();
    if (status !== 100) answers.push({ status, headers, text: headers['transfer-encoding'] ? dechunk(body) : taken });
    rest = status === 100 ? body : headers['transfer-encoding'] ? '' : Buffer.from(body).subarray(length).toString();
  }
  return answers;
}

function dechunk(body: string): string {
  return body.replaceAll(/(^|\r\n)[0-9a-f]+\r\n/gi, '').replace(/\r\n\r\n$/, '');
}

/** The one shape of a failure, whoever in the server found it. */
export function expectFailure(answer: RawAnswer, status: number, code: string): void {
  expect(answer).toMatchObject({
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'x-request-id': expect.stringMatching(/^[0-9a-f]{12}-[0-9a-z]+$/),
    },
  });
  expect(JSON.parse(answer.text)).toEqual([expect.objectContaining({ code, message: expect.stringMatching(/\S/) })]);
}

/** Answers calls as before. */
export async function expectAlive(origin: Origin): Promise<void> {
  const answer = await send(origin, buildHead('GET /healthz HTTP/1.1', 'Host: localhost', 'Connection: close'));
  expect(answer).toMatchObject({ status: 200, text: '{"status":"ok"}' });
}
