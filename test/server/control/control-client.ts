/** Raw requests to the control plane with any Host, Origin and credentials. */
import { request } from 'node:http';
import type { TestServer } from '../../harness.ts';

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Disconnects once a successful response has begun. */
  readonly headOnly?: boolean;
}

/** Sends exactly these headers. Host defaults to the server's own. The path is one of the server, or of a sandbox at a URL. */
export function send({ url }: Pick<TestServer, 'url'>, pathOfService: string, options: HttpRequest = {}) {
  const { method = 'GET', headers = {}, body, headOnly: untilHead = false } = options;
  const { port, pathname } = new URL(url);
  const path = pathname.replace(/\/$/, '') + pathOfService;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const typed = text === undefined ? headers : { 'Content-Type': 'application/json', ...headers };
  return new Promise<HttpResponse>((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port, path, method, headers: typed as Record<string, string | string[]> },
      async (incoming) => {
        if (untilHead && incoming.statusCode === 200) {
          resolve({ status: 200, headers: incoming.headers, body: undefined });
          incoming.destroy();
          return;
        }
        let text = '';
        for await (const chunk of incoming) text += chunk;
        const isJson = incoming.headers['content-type']?.includes('json');
        const body = text === '' ? undefined : isJson ? JSON.parse(text) : text;
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}

/** The path of the next page, with its query. */
export function readNextPath({ headers }: HttpResponse): string {
  const [, url = ''] = /^<(.*)>; rel="next"$/.exec(String(headers.link)) ?? [];
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** All items of a list, page by page, and the statuses of the pages. */
export async function readAllPages(
  server: TestServer,
  first: string,
): Promise<{ items: unknown[]; statuses: number[] }> {
  const items: unknown[] = [];
  const statuses: number[] = [];
  for (let path: string | undefined = first; path !== undefined; ) {
    const response: HttpResponse = await send(server, path);
    statuses.push(response.status);
    items.push(...(response.body as unknown[]));
    path = response.headers.link === undefined ? undefined : readNextPath(response);
  }
  return { items, statuses };
}
