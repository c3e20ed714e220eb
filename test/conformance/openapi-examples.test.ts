/** Every operation of both OpenAPI documents has request and response examples that match its schemas. */
import { expect, test } from 'vitest';
import type * as z from 'zod';
import { errorTable } from '../../src/contract/error-codes.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';
import { toOAuthError } from '../../src/contract/oauth-errors.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { listOperationErrors } from '../../src/contract/operation-errors.ts';
import { formatRoles } from '../../src/contract/roles.ts';
import { operations } from '../../src/server/operations/index.ts';
import {
  type ApiDocument,
  controlDocument,
  documents,
  listOperations,
  type Media,
  type OpenApiOperation,
  type Response,
} from './openapi-documents.ts';

const all = documents.flatMap(({ document, operations: declared }) =>
  declared.map((operation) => ({ id: operation.id, operation, document, described: find(document, operation) })),
);

function find(document: ApiDocument, { id }: Operation<never>): OpenApiOperation {
  const found = listOperations(document).find(({ described }) => described.operationId === id);
  if (!found) throw new Error(`${id} is in no document: run npm run generate`);
  return found.described;
}

/** The issues of a value that the schema rejects; empty if it is valid. */
function listIssues(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
}

test('checks all operations of both documents', () => {
  expect(all.length).toBeGreaterThan(Object.keys(operations).length);
});

test.each(all)('$id has examples of its request, response and errors', (one) => {
  checkParameters(one);
  checkBody(one);
  checkSuccesses(one);
  checkRoles(one);
  checkFailures(one);
});

type Case = (typeof all)[number];

/** Every parameter has a valid example. */
function checkParameters({ operation, described }: Case): void {
  const { params, query, headers } = operation.request;
  const shapes: Readonly<Record<string, z.ZodType>> = { ...params, ...query, ...headers };
  const parameters = (described.parameters ?? []).filter(({ name }) => !/^If-(?:None-)?Match$/.test(name));
  expect(parameters.map(({ name }) => name)).toEqual(Object.keys(shapes));
  for (const { name, required, example, schema, description } of parameters) {
    const value = required ? example : schema.examples?.[0];
    expect(value, `${name} has no example`).toBeDefined();
    expect(listIssues(shapes[name] as z.ZodType, value), name).toEqual([]);
    expect(description, `${name} has no description`).toMatch(/\S/);
  }
}

/** The request body has a valid example. */
function checkBody({ operation: { request }, described }: Case): void {
  const content = described.requestBody?.content ?? {};
  const types = request.form ? ['application/x-www-form-urlencoded', 'application/json'] : ['application/json'];
  expect(Object.keys(content)).toEqual(request.body ? types : []);
  for (const { example } of Object.values(content)) {
    expect(example, 'the body has no example').toBeDefined();
    expect(listIssues(request.body as z.ZodType, example), 'the example of the body').toEqual([]);
  }
}

/** Every successful response has a valid example. */
function checkSuccesses({ operation: { response }, described, document }: Case): void {
  const statuses = 'page' in response ? ['200', '206'] : [String(response.status)];
  for (const status of statuses) {
    expect(described.responses[status], `${status} is missing`).toBeDefined();
    const { 'application/json': media, ...texts } = described.responses[status]?.content ?? {};
    if (!('page' in response) && !('body' in response)) expect({ media, ...texts }).toEqual({});
    else checkResponse('page' in response ? response.page.array() : response.body, media, texts);
    if (document === controlDocument.document) checkNoJsonText(media);
  }
}

function checkResponse(schema: z.ZodType, media: Media | undefined, texts: Readonly<Record<string, Media>>): void {
  for (const [type, { example }] of Object.entries(texts)) expect(example, type).toMatch(/\S/);
  if (!media) {
    expect(Object.keys(texts)).not.toEqual([]);
    return;
  }
  const example = media.examples?.done?.value ?? media.example;
  expect(example, 'the response has no example').toBeDefined();
  expect(listIssues(schema, example), 'the example of the response').toEqual([]);
}

/** A list or an object is no text: a reader of YAML or JSON would have to parse it again. */
function checkNoJsonText(media: Media | undefined): void {
  JSON.stringify(media?.example, (_, value: unknown) => {
    if (typeof value === 'string' && /^[[{]/.test(value)) expect(() => JSON.parse(value), value).toThrow();
    return value;
  });
}

function checkRoles({ operation, described }: Case): void {
  const roles = formatRoles(operation.roles);
  expect(described['x-roles']).toBe(roles);
  expect(described.description).toMatch(/\n\nRoles/);
  expect(described.description).toContain(roles);
}

/** Every error code of the operation has an example under its status. */
function checkFailures({ operation, document, described }: Case): void {
  for (const [code, status] of listOperationErrors(operation)) {
    const direct = failuresIn(described.responses[String(status)], document)[code];
    const example = direct ?? failuresIn(defaultOf(document), document)[code];
    expect(example, `${code} under ${status}`).toEqual(failureOf(code, operation));
  }
}

function defaultOf({ components }: ApiDocument): Response {
  return components.responses?.Http as Response;
}

function failureOf(code: ErrorCode, { errorFormat }: Operation<never>): unknown {
  const items = [{ code, message: errorTable[code].message }];
  return errorFormat === 'oauth' ? toOAuthError(items) : items;
}

/** Examples of a response by error code. */
function failuresIn(response: Response | undefined, { components }: ApiDocument): Record<string, unknown> {
  const examples = Object.entries(response?.content?.['application/json']?.examples ?? {});
  const exampleOf = ({ $ref, value }: { $ref?: string; value?: unknown }) =>
    $ref === undefined ? value : components.examples[$ref.replace('#/components/examples/', '')]?.value;
  return Object.fromEntries(examples.map(([name, example]) => [name, exampleOf(example)]));
}
