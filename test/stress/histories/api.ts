/** Sends each request once, to any server of a deployment, and says what is known of its outcome. */
import http from 'node:http';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { judgeAnswer } from '../failover/answer.ts';
import { waitFor } from '../failover/daemon.ts';
import { administrator } from '../failover/iam-servers.ts';
import type { Sent } from './history.ts';

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the service prefix, unless it begins with `/_iam`. */
  readonly path: string;
  readonly body?: object;
  readonly ifMatch?: string | undefined;
  /** Default: the administrator. `anonymous` sends none. */
  readonly bearer?: string;
  readonly isAnonymous?: true;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly etag: string | undefined;
  readonly retryAfter: string | undefined;
}

/** Milliseconds. Longer than a server takes to find out about a commit. */
const requestTimeout = 80_000;
const setupTimeout = 120_000;
const basic = `Basic ${btoa(`${administrator.clientId}:${administrator.clientSecret}`)}`;

export class Api {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 100 });
  readonly #chooseUrl: () => string;

  constructor(chooseUrl: () => string) {
    this.#chooseUrl = chooseUrl;
  }

  /**
   * @param answers what the status, or the code of an error, means to the history; others are judged as changes
   * @throws Error for an answer that no failure explains
   */
  async ask(request: Request, answers: Readonly<Record<string, string | ((answer: Answer) => string)>>): Promise<Sent> {
    const answer = await this.#send(request);
    if (answer === 'refused') return 'refused';
    const meaning = answer && (answers[answer.status] ?? answers[readCode(answer.body)]);
    if (answer && meaning !== undefined) return { output: typeof meaning === 'string' ? meaning : meaning(answer) };
    const verdict = judgeAnswer(answer);
    if (verdict.kind === 'unknown' || verdict.kind === 'refused') return verdict.kind;
    const problem = verdict.kind === 'wrong' ? verdict.problem : `${answer?.status} ${answer?.body}`;
    throw new Error(`${request.method} ${request.path} was answered with ${problem}`);
  }

  /** Sends requests that prepare a round until one is answered. */
  async prepare<Body>(create: () => Request): Promise<Body> {
    const answer = await waitFor('an answer to a preparation', setupTimeout, async () => {
      const sent = await this.#send(create());
      return sent && sent !== 'refused' && sent.status < 500 ? sent : undefined;
    });
    if (answer.status >= 300) throw new Error(`a preparation was answered with ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body) as Body;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** @returns undefined if the connection was lost, `refused` if there was none */
  #send({ method, path, body, ifMatch, bearer, isAnonymous }: Request): Promise<Answer | 'refused' | undefined> {
    return new Promise((resolve) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        ...(isAnonymous ? {} : { authorization: bearer === undefined ? basic : `Bearer ${bearer}` }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      };
      const url = this.#chooseUrl() + (path.startsWith('/_iam') ? path : servicePrefix + path);
      const request = http.request(
        url,
        { method, headers, agent: this.#agent, timeout: requestTimeout },
        (response) => {
          let received = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            received += chunk;
          });
          const { etag, 'retry-after': retryAfter } = response.headers;
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body: received, etag, retryAfter }));
          response.on('close', () => resolve(undefined));
        },
      );
      request.on('timeout', () => request.destroy());
      request.on('error', ({ code }: NodeJS.ErrnoException) =>
        resolve(code === 'ECONNREFUSED' ? 'refused' : undefined),
      );
      request.end(text);
    });
  }
}

function readCode(body: string): string {
  try {
    return (JSON.parse(body) as { code?: string }[])[0]?.code ?? '';
  } catch {
    return '';
  }
}
