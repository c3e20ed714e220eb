/** A deployment of the interface that differs from this server: a proxy in front of one that alters a message. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { adminClient, type TestServer } from '../../../harness.ts';
import type { RunOptions } from '../../run-cli.ts';
import { iam } from '../../run-cli.ts';

export interface Message {
  readonly method: string;
  /** The path of the operation, without the prefix of the service. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a deployment does differently. */
export interface Deviation {
  /** Alters a request before the server receives it. */
  request?(message: Message): Message;
  /** Replies without the server. `hangUp` closes the connection. */
  reply?(message: Message): Reply | 'hangUp' | undefined;
  /** Alters the response; `request` is the one that was sent. */
  response?(reply: Reply, request: Message): Reply;
}

export interface DeviatingDeployment extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Message[];
}

const prefix = '/security/iam/v1';

/** Starts a proxy in front of a server. */
export async function startDeviation(server: TestServer, deviation: Deviation): Promise<DeviatingDeployment> {
  const received: Message[] = [];
  const proxy = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [full = '', query = ''] = (request.url ?? '').split('?');
    const message: Message = {
      method: request.method ?? '',
      path: full.replace(prefix, ''),
      query,
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    received.push(message);
    const own = deviation.reply?.(message);
    if (own === 'hangUp') return void response.destroy();
    const reply = own ?? (await forward(server, deviation.request?.(message) ?? message));
    const { status, headers, body } = deviation.response?.(reply, message) ?? reply;
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

const ownHeaders = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'date'];

async function forward(server: TestServer, message: Message): Promise<Reply> {
  const { method, path, query, headers, body } = message;
  const sent = Object.entries(headers).filter(([name]) => !ownHeaders.includes(name));
  const target = `${prefix}${path}${query === '' ? '' : `?${query}`}`;
  const received = await server.send({ method, path: target, headers: sent, ...(body === '' ? {} : { body }) });
  const kept = Object.entries(received.headers).filter(([name]) => !ownHeaders.includes(name));
  return {
    status: received.status,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    body: received.text,
  };
}

export interface Report {
  readonly summary: Readonly<Record<'operations' | 'cases' | 'same' | 'different' | 'accepted' | 'notChecked', number>>;
  readonly operations: readonly { readonly operation: string; readonly cases: number; readonly different: number }[];
  readonly differences: readonly {
    readonly operation: string;
    readonly case: string;
    readonly aspect: string;
    readonly name?: string;
    readonly expected: string;
    readonly seen: string;
    readonly accepted: boolean;
    readonly reason?: string;
    readonly reproduce: string;
  }[];
  readonly checked: readonly { readonly operation: string; readonly case: string; readonly expectedStatus: number }[];
  readonly notChecked: readonly { readonly operation: string; readonly case: string; readonly reason: string }[];
  readonly staleBaseline: readonly object[];
  readonly leftOver: readonly { readonly entity: string; readonly command?: string }[];
}

const administrator = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };

export interface ConformanceRun {
  readonly code: number;
  readonly err: string;
  readonly report: Report;
}

/** Runs the suite with the credentials of the administrator client, and returns the report. */
export async function checkConformance(
  server: Pick<TestServer, 'clock'>,
  url: string,
  words: readonly string[] = [],
  options: RunOptions = {},
): Promise<ConformanceRun> {
  const now = () => server.clock.now().getTime();
  const all = ['conformance', '--concurrency', '8', '-o', 'json', ...words];
  const { code, out, err } = await iam(all, { url, now, variables: administrator, ...options });
  return { code, err, report: (out === '' ? {} : JSON.parse(out)) as Report };
}

/** The entities of the store that a caller can create. */
export async function listEntities(server: TestServer): Promise<Record<string, unknown>> {
  const tables = ['groups', 'users', 'clients', 'apiKeys', 'corporateGroups', 'customers', 'businesses', 'memberships'];
  const dump = await server.dump();
  return Object.fromEntries(tables.map((name) => [name, dump[name]]));
}
