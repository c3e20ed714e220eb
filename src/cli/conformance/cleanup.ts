/** Deletes what the suite created at the deployment, also after an interruption. It touches nothing else. */
import { errorItems } from '../../client/error-items.ts';
import { singleQuote } from '../../lib/shell-variables.ts';
import { decodeClaims } from '../auth/decode-token.ts';
import { type ConformanceCase, fillTemplate, listVariables, type Undo } from './case.ts';
import { type Deployment, isSuccessStatus } from './deployment.ts';
import type { Answer } from './observation.ts';
import { createBareRequest } from './samples.ts';

/** An entity that could not be deleted. */
export interface LeftOver {
  readonly entity: string;
  readonly reason: string;
  /** The command that deletes it; absent if no operation does. */
  readonly command?: string;
}

export class Cleanup {
  readonly #target: Deployment;
  readonly #serverOptions: string;
  readonly #pending: Undo[] = [];
  readonly #leftOver: LeftOver[] = [];
  /** By the id of the deletion. */
  readonly #permissions = new Map<string, Promise<boolean>>();

  /** @param serverOptions the options of commands that select the deployment: ` --profile staging` */
  constructor(target: Deployment, serverOptions: string) {
    this.#target = target;
    this.#serverOptions = serverOptions;
  }

  /** Whether the caller may delete what a case creates: a request for an entity that does not exist is not refused. */
  mayUndo({ operation }: Undo): Promise<boolean> {
    const known = this.#permissions.get(operation) ?? this.#probe(operation);
    this.#permissions.set(operation, known);
    return known;
  }

  async #probe(operation: string): Promise<boolean> {
    const request = createBareRequest(this.#target.operation(operation));
    const answer = await this.#target.send({ operation, name: 'permission', kind: 'write', request });
    return 'response' in answer && answer.response.status === 404;
  }

  /** Sends a case and records what it created. What may exist is recorded before the request. */
  async track(one: ConformanceCase, send: () => Promise<Answer>): Promise<Answer> {
    const undo = one.undo && this.#name(one.undo);
    if (undo) this.#pending.push(undo);
    const answer = await send();
    // After a server error it may exist.
    const isRefused = 'response' in answer && answer.response.status < 500 && !isSuccess(answer);
    if (undo && isRefused) this.#remove(undo.entity);
    if (isSuccess(answer)) {
      for (const entity of one.deletes ?? []) this.#remove(fillTemplate(entity, this.#target.variables));
      if (!undo) this.#recordUnexpected(one, answer);
    }
    return answer;
  }

  /** Deletes everything that is left, the newest first. */
  async run(): Promise<readonly LeftOver[]> {
    for (const undo of this.#pending.splice(0).reverse()) {
      const reason = await this.#undo(undo).catch((error: Error) => error.message);
      if (reason !== undefined) this.#leftOver.push({ ...this.#describe(undo), reason });
    }
    return this.#leftOver;
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  #name(undo: Undo): Undo {
    return { ...undo, entity: fillTemplate(undo.entity, this.#target.variables) };
  }

  #remove(entity: string): void {
    const at = this.#pending.findIndex((undo) => undo.entity === entity);
    if (at >= 0) this.#pending.splice(at, 1);
  }

  /** A request that the service should have refused created something. */
  #recordUnexpected({ operation }: ConformanceCase, answer: Answer): void {
    const { creates } = this.#target.operation(operation);
    if (creates === undefined || !('response' in answer)) return;
    const undo = undoOfResponse(creates, answer.response.body);
    if (undo) this.#pending.push(undo);
    else this.#leftOver.push({ entity: `${creates} created by ${operation}`, reason: 'no operation deletes it' });
  }

  /** @returns why it may still exist; undefined if it does not */
  async #undo(undo: Undo): Promise<string | undefined> {
    await this.#find(undo);
    const { variables } = this.#target;
    for (const [name, text] of Object.entries(undo.fallback ?? {}))
      if (!variables.has(name)) variables.set(name, fillTemplate(text, variables));
    // Without an id the request that would have created it had no response, and the list does not contain it.
    if (listVariables(undo.params).some((name) => !variables.has(name))) return undefined;
    const answer = await this.#target.send({
      operation: undo.operation,
      name: 'cleanup',
      kind: 'write',
      request: { params: undo.params },
    });
    if (!('response' in answer)) return `no response (${answer.failure})`;
    const { status, body } = answer.response;
    if (status === 404 || isSuccess(answer)) return undefined;
    return [status, ...errorItems(body).map(({ code }) => code)].join(' ');
  }

  /** Reads the id of an entity whose creation had no response. Its name must be equal. */
  async #find({ find, params }: Undo): Promise<void> {
    const { variables } = this.#target;
    if (!find || listVariables(params).every((name) => variables.has(name))) return;
    if (listVariables(find).some((name) => name !== find.variable && !variables.has(name))) return;
    const answer = await this.#target.send({
      operation: find.operation,
      name: 'cleanup',
      kind: 'write',
      request: { query: find.query },
    });
    const rows = 'response' in answer && Array.isArray(answer.response.body) ? answer.response.body : [];
    const row = (rows as Record<string, unknown>[]).find(
      (one) => one[find.field] === fillTemplate(find.value, variables),
    );
    if (typeof row?.[find.idField] === 'string') variables.set(find.variable, row[find.idField] as string);
  }

  #describe({ entity, operation, params }: Undo): Omit<LeftOver, 'reason'> {
    const filled = fillTemplate(params, this.#target.variables);
    const words = Object.entries(filled).map(([name, value]) => `--param ${singleQuote(`${name}=${value}`)}`);
    return { entity, command: ['iam call', operation, ...words, '--yes'].join(' ') + this.#serverOptions };
  }
}

function isSuccess(answer: Answer): boolean {
  if (!('response' in answer)) return false;
  return isSuccessStatus(answer.response.status) && errorItems(answer.response.body).length === 0;
}

/** How to delete the entity of a response, by the id in it. */
function undoOfResponse(entity: string, body: unknown): Undo | undefined {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const undo = (operation: string, param: string, id: unknown): Undo | undefined =>
    typeof id === 'string' ? { entity: `${entity} ${id}`, operation, params: { [param]: id } } : undefined;
  switch (entity) {
    case 'group':
      return undo('groups.remove', 'groupId', fields.groupId);
    case 'corporateGroup':
      return undo('corporate-groups.remove', 'corporateGroupId', fields.corporateGroupId);
    case 'client':
      return undo('client-identities.remove', 'serviceAccountId', fields.clientId);
    case 'apiKey':
      return undo('api-key.remove', 'apiKeyId', fields.apiKeyId);
    case 'user':
      return undo('user-identities.remove', 'id', decodeClaims(String(fields.accessToken))?.user_id);
    default:
      return undefined;
  }
}
