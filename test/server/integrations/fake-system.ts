/** Systems outside as they may be: real servers on a free port that answer as a test has it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeSystemCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export interface FakeSystem extends AsyncDisposable {
  readonly url: string;
  /** What was asked of it. */
  readonly calls: readonly FakeSystemCall[];
}

type Reply = (call: FakeSystemCall, response: ServerResponse) => void;

export async function startFakeSystem(reply: Reply): Promise<FakeSystem> {
  const calls: FakeSystemCall[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url: path = '', headers } = request;
    const call = { method, path, headers, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
    calls.push(call);
    reply(call, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Ends the answer with this status and JSON. */
export function respond(response: ServerResponse, status: number, json?: unknown): void {
  response.writeHead(status, json === undefined ? {} : { 'content-type': 'application/json' });
  response.end(json === undefined ? undefined : JSON.stringify(json));
}

/** Everything but an answer that a system can give. */
export const failingReplies: Readonly<Record<string, Reply>> = {
  'answers with 500': (_, response) => respond(response, 500, { secret: 'of the other side' }),
  'answers with 400': (_, response) => respond(response, 400),
  'answers with a page': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<html>');
  },
  'answers with JSON of something else': (_, response) => respond(response, 200, ['else']),
  'sends elsewhere': (call, response) => {
    response.writeHead(307, { location: `/elsewhere${call.path}` });
    response.end();
  },
  'answers without an end': (_, response) => {
    response.writeHead(200);
    response.write('{');
  },
  'answers with too much': (_, response) => respond(response, 200, { padding: 'x'.repeat(70_000) }),
  'never answers': () => undefined,
  'breaks the connection': (_, response) => {
    response.destroy();
  },
};
