/**
 * Bad input for one operation, or one route of the control plane, on one server: each response is as documented, never
 * an internal error, and a rejected request changes nothing. Tests and stress suites share this code.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ErrorDetailsSchema } from '../../../src/contract/error-body.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { controlPrefix, servicePrefix } from '../../../src/contract/prefix.ts';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import { oauthOperations } from '../../../src/server/oauth/index.ts';
import { operations } from '../../../src/server/operations/index.ts';
import type { TestServer } from '../../harness.ts';
import { bodyMutations } from './body-mutations.ts';
import type { MutatedRequest } from './mutation.ts';
import type { RawRequest, RawResponse } from './raw-sender.ts';
import { type Draft, type Draw, drawRequest, type RequestSource, toRawRequest } from './request-generator.ts';
import { requestMutations } from './request-mutations.ts';

export const registry: readonly Operation<never>[] = [...Object.values(operations), ...oauthOperations];
/** Operations with a finite response; test/server/control/routes/inbox/stream.test.ts tests the rejections of the stream. */
export const routes = (controlRoutes as unknown as readonly Operation<never>[]).filter(
  ({ response }) => !('stream' in response),
);

const httpStatuses = [405, 413, 415, 429, 431];
const mutations = { ...requestMutations, ...bodyMutations };
/** A form contains only text: these are its possible errors. */
const formMutations = ['a body of a megabyte and more', 'an unsupported content type', 'a compressed body'];

export interface Credentials {
  readonly authorization: string;
  readonly bearer: string;
}

export interface Attempts {
  readonly credentials: Credentials;
  /** Every run is reproducible: fast-check prints the seed and the path of a failure. */
  readonly seed: number;
  /** Draws of each mutation. */
  readonly runs: number;
  send(request: RawRequest): Promise<RawResponse>;
  /** Changes requests before they are mutated. */
  vary?(draw: Draw, draft: Draft, source: RequestSource): Draft;
}

/** Whether it is a route of the control plane. */
export function isRoute(operation: Operation<never>): boolean {
  return routes.includes(operation);
}

/** The prefix of the path of an operation. */
export function prefixOf(operation: Operation<never>): string {
  if (operation.mount === 'base') return '';
  return isRoute(operation) ? controlPrefix : servicePrefix;
}

function listMutations({ request }: Operation<never>) {
  const fitting = ([name]: [string, unknown]) =>
    !request.form || !(name in bodyMutations) || formMutations.includes(name);
  return Object.entries(mutations).filter(fitting);
}

/** All operations and routes with the pattern of their paths, those with the fewest parameters first. */
const patterns = [...registry, ...routes]
  .map((operation) => ({
    operation,
    pattern: new RegExp(`^${prefixOf(operation)}${operation.path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
  }))
  .sort((a, b) => a.operation.path.split('{').length - b.operation.path.split('{').length);

/** The operation that a request reaches, which a mutation may have changed. */
function findOperation(method: string, path: string): Operation<never> | undefined {
  const [withoutQuery = ''] = path.split('?');
  return patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(withoutQuery))
    ?.operation;
}

export function isErrorArray(json: unknown): json is { code: string; message: string }[] {
  return (
    Array.isArray(json) &&
    json.length > 0 &&
    json.every((item) => {
      const keys = Object.keys(Object(item)).sort().join();
      return (
        (keys === 'code,message' || (keys === 'code,details,message' && hasValidDetails(item.details))) &&
        /^[A-Z][A-Z0-9_]*$/.test(item.code) &&
        typeof item.message === 'string' &&
        item.message !== ''
      );
    })
  );
}

function hasValidDetails(details: unknown): boolean {
  return ErrorDetailsSchema.safeParse(details).success && Object.keys(Object(details)).length > 0;
}

/** RFC 6749, 5.2: the error format of the OAuth token endpoint. */
function isOAuthError(json: unknown): boolean {
  return Object.keys(Object(json)).sort().join() === 'error,error_description';
}

/** @returns whether the request was rejected. @throws AssertionError where the response is not as documented. */
function check(response: RawResponse, { draft, isRejected, statuses, field }: MutatedRequest): boolean {
  const { method, path } = toRawRequest(draft);
  const operation = findOperation(method, path);
  const { status, headers } = response;
  assert.ok([...(operation?.statuses ?? [404]), ...httpStatuses].includes(status), 'the status is documented');
  assert.ok(status < 500, 'the status is not a server error');
  assert.equal(typeof headers['x-request-id'], 'string');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  if (operation?.errorFormat === 'page' && status !== 431) return checkPage(response, isRejected);
  // A request that reaches no operation is rejected in the common format.
  const isFailure = operation?.errorFormat === 'oauth' && status !== 431 ? isOAuthError : isErrorArray;
  const failed = status >= 300 || isFailure(response.json);
  if (isRejected) assert.ok(failed, 'the request must be rejected');
  if (!failed) return false;
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  // The response to HEAD has no body.
  assert.ok(isFailure(response.json), response.text);
  if (statuses) assert.ok(statuses.includes(status), `${status} is one of ${statuses}`);
  if (status === 401) assert.match(headers['www-authenticate'] ?? '', /^(Basic|Bearer) realm="iam( control plane)?"/);
  if (status === 405) assert.match(headers.allow ?? '', /^[A-Z]+(, [A-Z]+)*$/);
  // Where the interface treats a malformed body as a bad credential, the response does not report it.
  if (field !== undefined && !operation?.request.malformedBody)
    assert.ok(response.text.includes(field), `the response names ${field}`);
  return true;
}

/** A page, or a redirect to the application, which only a request of a registered one gets. */
function checkPage({ status, headers, text }: RawResponse, isRejected = false): boolean {
  const isPage = headers['content-type'] === 'text/html; charset=utf-8' && text.startsWith('<!doctype html>');
  assert.ok(isPage || status === 303 || text === '', text);
  if (isRejected) assert.ok(status >= 300, 'the request must be rejected');
  return status >= 300;
}

/** The content of the store without the counts of wrong codes, which a rejected request may change. */
async function dumpWithoutCounts(server: TestServer): Promise<string> {
  const { codeFailures: _counts, ...rest } = await server.dump();
  return JSON.stringify(rest);
}

/** Ids and names of what is in the store, except those of the caller. */
export async function collectPool({ appContext }: TestServer): Promise<string[]> {
  const { groups, clients, apiKeys, users } = appContext.store;
  const rows = [
    await groups.list({ limit: 20 }),
    await clients.list(),
    await apiKeys.list({ limit: 5 }),
    await users.list(),
  ];
  return rows
    .flat()
    .flatMap((row) => Object.entries(row).flatMap(([name, value]) => (/(Id|Name)$/.test(name) ? String(value) : [])))
    .filter((value) => value !== callerId);
}

export const callerId = 'the-caller';

/** Removes the wait for a message: an empty inbox is reported immediately. */
function withoutWait(draft: Draft): Draft {
  if (draft.segments.at(-1) !== 'wait') return draft;
  const others = draft.query.filter((part) => !/^timeout=\d/.test(part));
  return { ...draft, query: others.some((part) => part.startsWith('timeout=')) ? others : [...others, 'timeout=0'] };
}

/**
 * Sends mutated requests of every kind. @returns how many were rejected. @throws Error with the request and its
 * response.
 */
export async function attemptBadInput(
  server: TestServer,
  operation: Operation<never>,
  attempts: Attempts,
): Promise<number> {
  const { credentials, seed, runs, send, vary = (_: Draw, draft: Draft) => draft } = attempts;
  const prefix = prefixOf(operation);
  let before = await dumpWithoutCounts(server);
  let rejections = 0;
  for (const [name, mutate] of listMutations(operation)) {
    const property = fc.asyncProperty(fc.gen(), async (draw) => {
      const source: RequestSource = { operation, prefix, ...credentials, pool: await collectPool(server) };
      const mutated = mutate(draw, vary(draw, withoutWait(drawRequest(draw, source)), source), source);
      if (!mutated) return;
      const request = toRawRequest(mutated.draft);
      const response = await send(request);
      const after = await dumpWithoutCounts(server);
      try {
        const failed = check(response, mutated);
        if (failed) assert.ok(after === before, 'a rejected request leaves the store unchanged');
        if (failed) rejections += 1;
      } catch (error) {
        const sent = `${request.method} ${request.path} ${String(request.body).slice(0, 500)}`;
        throw new Error(`${name}: ${sent}\nresponse: ${response.status} ${response.text.slice(0, 500)}\n${error}`);
      } finally {
        before = after;
      }
    });
    await fc.assert(property, { seed, numRuns: runs, endOnFailure: true });
  }
  assert.deepEqual(Object.keys(Object.prototype), []);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  return rejections;
}
