/** Sends the requests of cases to one deployment, and keeps its variables. */
import type { BaseClient } from '../../client/create-client.ts';
import { errorItems } from '../../client/error-items.ts';
import { NetworkError } from '../../client/errors.ts';
import { type ApiResponse, nextCursorOf } from '../../client/response.ts';
import type { Manifest, ManifestOperation } from '../../contract/manifest-types.ts';
import { busyStatuses } from '../http/retry.ts';
import { type CaseRequest, type ConformanceCase, fillTemplate, type Variables } from './case.ts';
import type { Answer } from './observation.ts';

export interface DeploymentOptions {
  readonly client: BaseClient;
  readonly manifest: Manifest;
  readonly variables: Variables;
  /** The variables that keep their value. */
  readonly fixed: ReadonlySet<string>;
  /** Maximum milliseconds of all waits for a busy service, for one request. */
  readonly maxWait: number;
  /** Aborts reads. Writes end, so that it is known whether they took effect. */
  readonly signal: AbortSignal;
  pause(milliseconds: number): Promise<void>;
}

export interface SentRequest {
  readonly method: string;
  /** Path with the prefix and the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Sends no credentials besides those in the headers. */
  readonly isAnonymous: boolean;
}

const maxAttempts = 5;

export class Deployment {
  readonly variables: Variables;
  readonly #options: DeploymentOptions;
  readonly #operations: ReadonlyMap<string, ManifestOperation>;

  constructor(options: DeploymentOptions) {
    this.#options = options;
    this.variables = options.variables;
    this.#operations = new Map(options.manifest.operations.map((operation) => [operation.id, operation]));
  }

  get client(): BaseClient {
    return this.#options.client;
  }

  operation(id: string): ManifestOperation {
    const operation = this.#operations.get(id);
    if (!operation) throw new Error(`conformance: ${id} is not an operation`);
    return operation;
  }

  /** The request of a case with the variables of this deployment, or with others. */
  build(operation: string, request: CaseRequest, variables: Variables = this.variables): SentRequest {
    return buildRequest(this.operation(operation), this.#options.manifest.prefix, fillTemplate(request, variables));
  }

  /** Sends a case and saves its variables. Waits if the service is busy. */
  async send({ operation, request, save = {}, kind }: ConformanceCase): Promise<Answer> {
    const sent = this.build(operation, request);
    const answer = await this.#sendPatiently(sent, kind === 'read' ? this.#options.signal : undefined);
    if (
      'response' in answer &&
      isSuccessStatus(answer.response.status) &&
      errorItems(answer.response.body).length === 0
    )
      for (const [name, source] of Object.entries(save))
        this.#save(name, readSource(answer.response, fillTemplate(source, this.variables)));
    return answer;
  }

  #save(name: string, value: unknown): void {
    if (this.#options.fixed.has(name)) return;
    if (typeof value === 'string' || typeof value === 'number') this.variables.set(name, String(value));
  }

  async #sendPatiently(sent: SentRequest, signal: AbortSignal | undefined): Promise<Answer> {
    const { maxWait, pause } = this.#options;
    let waited = 0;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#sendOnce(sent, signal);
      const wait = 'response' in answer ? readWait(answer.response) : undefined;
      if (wait === undefined || attempt === maxAttempts || waited + wait > maxWait) return answer;
      waited += wait;
      await pause(wait);
    }
  }

  async #sendOnce({ method, path, headers, body, isAnonymous }: SentRequest, signal?: AbortSignal): Promise<Answer> {
    try {
      const input = { headers, body, anonymous: isAnonymous, signal };
      return { response: await this.#options.client.raw(method, path, input) };
    } catch (error) {
      if (error instanceof NetworkError) return { failure: error.code };
      throw error;
    }
  }
}

/** Whether the request took effect. */
export function isSuccessStatus(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The milliseconds of Retry-After of a busy service. */
function readWait({ status, headers }: ApiResponse): number | undefined {
  const seconds = headers['retry-after'] ?? '';
  return busyStatuses.includes(status) && /^\d{1,5}$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

function buildRequest({ method, path }: ManifestOperation, prefix: string, request: CaseRequest): SentRequest {
  const { params = {}, query = [], headers = {}, credentials = { kind: 'caller' } } = request;
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
  return {
    method: request.method ?? method,
    path: `${prefix}${filled}${search === '' ? '' : `?${search}`}`,
    headers: { ...headers, ...credentialHeaders(credentials) },
    body: request.text ?? (request.body === undefined ? undefined : JSON.stringify(request.body)),
    isAnonymous: credentials.kind !== 'caller',
  };
}

function credentialHeaders(credentials: NonNullable<CaseRequest['credentials']>): Record<string, string> {
  switch (credentials.kind) {
    case 'bearer':
      return { authorization: `Bearer ${credentials.token}` };
    case 'basic':
      return { authorization: `Basic ${Buffer.from(`${credentials.id}:${credentials.secret}`).toString('base64')}` };
    case 'api-key':
      return { 'x-api-key': credentials.key };
    default:
      return {};
  }
}

/** Reads `link` (the cursor of the next page), `header.NAME`, `text:TEXT`, or a path in the body: `body.0.groupId`. */
function readSource(response: ApiResponse, source: string): unknown {
  if (source.startsWith('text:')) return source.slice('text:'.length);
  if (source === 'link') return nextCursorOf(response);
  const [kind, ...names] = source.split('.');
  if (kind === 'header') return response.headers[names.join('.')];
  return names.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined,
    response.body,
  );
}
