/** Sends one request unchanged, over node:http: for requests that a normal client does not send. */
import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';

export interface RawRequest {
  readonly method: string;
  /** Absolute path, percent-encoded as sent. */
  readonly path: string;
  /** In order; a name may occur more than once. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer | undefined;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body where it is JSON. */
  readonly json: unknown;
}

export interface RawSender {
  send(request: RawRequest): Promise<RawResponse>;
  close(): void;
}

/** Sends to one server; connections stay open (keep-alive). */
export function createRawSender(url: string): RawSender {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port, host } = new URL(url);
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        const headers = [['Host', host], ...lengthOf(request), ...(request.headers ?? [])].flat();
        const { method, path } = request;
        const outgoing = httpRequest({ agent, hostname, port, method, path, headers }, (incoming) => {
          readResponse(incoming).then(resolve, reject);
        });
        outgoing.on('error', reject);
        outgoing.end(request.body);
      }),
    close: () => agent.destroy(),
  };
}

function lengthOf({ body, headers = [] }: RawRequest): [string, string][] {
  const framed = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  return body === undefined || framed ? [] : [['Content-Length', String(Buffer.byteLength(body))]];
}

async function readResponse(incoming: IncomingMessage): Promise<RawResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const isJson = /[/+]json\b/.test(incoming.headers['content-type'] ?? '');
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

/** Writes bytes to a new connection and returns all bytes received until the server closes it. */
export function exchange(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}
