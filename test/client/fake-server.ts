/** A small HTTP server that returns the responses of a test and records the requests. */

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { maxCandidates } from '../../src/cli/request/resolve-names.ts';
import type { ErrorDetails } from '../../src/client/errors.ts';
import { controlPrefix } from '../../src/contract/prefix.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface FakeResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  /** Breaks the connection instead of responding. */
  readonly hangUp?: boolean;
  /** Never responds. */
  readonly silent?: boolean;
}

export interface FakeServer extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
}

export type FakeHandler = (request: ReceivedRequest) => FakeResponse | Promise<FakeResponse>;

/** A lookup of a name in a list, or of names of ids: see `resolve-names.ts` and `entity-names.ts`. */
const nameLookup = new RegExp(`[?&]limit=${maxCandidates}$`);
const nameReads = `${controlPrefix}/names`;

/** A lookup of the roles of a group before a write: see `group-roles.ts`. */
const groupLookup = new RegExp(`^${controlPrefix}/groups/graph\\?root=.*&limit=1$`);
const groupWithoutRoles = {
  ...{ groupName: 'group', roles: [], roleCount: 0, inheritedRoles: [], inheritedRoleCount: 0 },
  ...{ dependentCount: 0, members: {} },
};

function respondToLookup(method: string, url: string): FakeResponse | undefined {
  if (url === nameReads || (method === 'GET' && nameLookup.test(url))) return { json: [] };
  return method === 'GET' && groupLookup.test(url) ? { json: { nodes: [groupWithoutRoles] } } : undefined;
}

/**
 * Runs `respond` for each request after its body is complete. Lookups of names find nothing, those of groups no roles, and
 * they are not recorded; they are tested with a real server.
 */
export async function startFakeServer(respond: FakeHandler, listenPort = 0): Promise<FakeServer> {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { method = '', url = '', headers } = request;
      const complete = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') };
      const looked = respondToLookup(method, url);
      if (!looked) received.push(complete);
      const { status = 200, json, text, ...reply } = looked ?? (await respond(complete));
      if (reply.hangUp) return void response.destroy();
      if (reply.silent) return;
      const type = json === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
      response.writeHead(status, { ...type, 'x-request-id': 'request-1', ...reply.headers });
      response.end(json === undefined ? text : JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(listenPort, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received, [Symbol.asyncDispose]: () => stop(server) };
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** The response to a login. */
export function tokenResponse(accessToken: string): FakeResponse {
  return { json: { accessToken, tokenType: 'Bearer', expiresIn: '3600', scope: [] } };
}

/** An error response of the service. */
export function errorResponse(
  status: number,
  code: string,
  message = `fake ${code}`,
  details?: ErrorDetails,
): FakeResponse {
  return { status, json: [{ code, message, details }] };
}
