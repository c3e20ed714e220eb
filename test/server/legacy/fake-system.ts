/** External systems: HTTP servers on a free port whose responses a test defines. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeSystemRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export interface FakeSystem extends AsyncDisposable {
  readonly url: string;
  /** Received requests, in order. */
  readonly requests: readonly FakeSystemRequest[];
}

type Reply = (request: FakeSystemRequest, response: ServerResponse) => void;

export async function startFakeSystem(reply: Reply): Promise<FakeSystem> {
  const requests: FakeSystemRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
    requests.push(request);
    reply(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Ends the response with this status and JSON. */
export function respond(response: ServerResponse, status: number, json?: unknown): void {
  response.writeHead(status, json === undefined ? {} : { 'content-type': 'application/json' });
  response.end(json === undefined ? undefined : JSON.stringify(json));
}

/** Every invalid response of a system, and none. */
export const failingReplies: Readonly<Record<string, Reply>> = {
  'responds with 500': (_, response) => respond(response, 500, { secret: 'of the external system' }),
  'responds with 400': (_, response) => respond(response, 400),
  'responds with a page': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<html>');
  },
  'responds with JSON of another shape': (_, response) => respond(response, 200, ['else']),
  redirects: (request, response) => {
    response.writeHead(307, { location: `/elsewhere${request.path}` });
    response.end();
  },
  'does not end its response': (_, response) => {
    response.writeHead(200);
    response.write('{');
  },
  'responds with too many bytes': (_, response) => respond(response, 200, { padding: 'x'.repeat(70_000) }),
  'never responds': () => undefined,
  'breaks the connection': (_, response) => {
    response.destroy();
  },
};
