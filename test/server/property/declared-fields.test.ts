/**
 * Every field of every body, one after another: another type, a missing required field, a field that is not declared,
 * and a value beyond each declared limit are rejected, the response names the field, and nothing changes.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatPath } from '../../../src/contract/errors.ts';
import type { JsonSchema } from '../../../src/contract/manifest-types.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { isFullRun } from '../../effort.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { type Credentials, prefixOf, registry, routes } from './bad-input.ts';
import { allowsAdditional } from './body-mutations.ts';
import { createCallerCredentials, seedEntities } from './callers.ts';
import { jsonTypeOf, listPaths, listTypes, toJsonSchema, type ValuePath, withValue } from './request-generator.ts';

let server: TestServer;
let credentials: Credentials;
beforeAll(async () => {
  server = await startServer();
  await seedEntities(server);
  credentials = await createCallerCredentials(server);
});
afterAll(() => server[Symbol.asyncDispose]());

/** Login operations answer any malformed body as wrong credentials, and forms have only texts and ignore other fields. */
const withFields = [...registry, ...routes].filter(
  ({ request }) => request.body && !request.form && !request.malformedBody && !request.bodyIgnored,
);

/** A value with every declared member; it need not be valid otherwise. */
function fill(schema: JsonSchema): unknown {
  // Errors of lists that may be texts are reported for the whole field: the text is the last form.
  if (schema.anyOf) return fill(schema.anyOf.findLast(({ type }) => type !== 'null') ?? {});
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'object' || schema.properties)
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, fill(inner)]));
  if (schema.type === 'array') return [fill(schema.items ?? {})];
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  return schema.type === 'boolean' ? true : 'text';
}

const samples: readonly unknown[] = [7, null, 'text', true, [], {}];

/** Not an element of a list, and not the whole body: there null is a value of the wrong type. */
const isMember = (path: ValuePath['path']) => typeof path.at(-1) === 'string';

/** Values that the schema of a field rejects, with the code of the error. */
function* wrongValues({ path, schema, required }: ValuePath): Generator<readonly [value: unknown, code: string]> {
  const types = listTypes(schema);
  const others = isMember(path) ? samples.filter((sample) => sample !== null) : samples;
  const ofOtherTypes = types.size > 0 ? others.filter((sample) => !types.has(jsonTypeOf(sample))) : [];
  for (const sample of isFullRun ? ofOtherTypes : ofOtherTypes.slice(0, 2)) yield [sample, 'FIELD_TYPE'];
  if (required) for (const sample of [undefined, null]) yield [sample, 'FIELD_MISSING'];
  if (schema.enum) yield ['not one of them', 'FIELD_VALUE'];
  if (schema.maxLength !== undefined) yield ['x'.repeat(schema.maxLength + 1), 'FIELD_VALUE'];
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test('\u0001')) yield ['a\u0001', 'FIELD_VALUE'];
  if (schema.minLength !== undefined && schema.minLength > 0) yield ['', 'FIELD_VALUE'];
  if (schema.maximum !== undefined) yield [schema.maximum + 1, 'FIELD_VALUE'];
  if (schema.minimum !== undefined) yield [schema.minimum - 1, 'FIELD_VALUE'];
}

/** One entry may be sent without an array. */
const isAccepted = ({ id }: Operation<never>, { path }: ValuePath, value: unknown) =>
  id === 'user-accesses.add-user' && path.length === 0 && jsonTypeOf(value) === 'object';

interface Mutant {
  readonly body: unknown;
  readonly field: string;
  readonly code: string;
}

function listMutants(operation: Operation<never>): Mutant[] {
  const schema = toJsonSchema(operation.request.body as never);
  const body = fill(schema);
  const root: ValuePath = { path: [], schema, required: false };
  return [root, ...listPaths(body, schema)].flatMap((place) => {
    const wrong = [...wrongValues(place)].filter(([value]) => !isAccepted(operation, place, value));
    const mutants = wrong.map(([value, code]) => ({
      ...{ body: withValue(body, place.path, value), code },
      field: formatPath(place.path),
    }));
    const isClosed = place.schema.properties !== undefined && !allowsAdditional(place.schema);
    const more = [...place.path, 'notDeclared'];
    const undeclared = { body: withValue(body, more, 'x'), code: 'FIELD_UNKNOWN', field: formatPath(more) };
    return isClosed ? [...mutants, undeclared] : mutants;
  });
}

/** Pairs of bodies, with an optional member that is null and without it. Both are rejected, for another reason. */
function listNulls(operation: Operation<never>): (readonly [withNull: unknown, without: unknown])[] {
  const schema = toJsonSchema(operation.request.body as never);
  const body = fill(schema);
  if (typeof body !== 'object' || Array.isArray(body)) return [];
  const rejected = { ...body, notDeclared: 'x' };
  const optional = listPaths(body, schema).filter(
    ({ path, schema: own, required }) => isMember(path) && !required && !listTypes(own).has('null'),
  );
  const chosen = isFullRun ? optional : optional.slice(0, 4);
  return [...chosen.map(({ path }) => path), ['alsoNotDeclared']].map((path) => [
    withValue(rejected, path, null),
    withValue(rejected, path, undefined),
  ]);
}

function buildPath(operation: Operation<never>): string {
  const path = operation.path.replaceAll(/\{[^}]+\}/g, 'ops');
  const query = Object.entries(operation.request.query ?? {}).filter(
    ([, schema]) => !schema.safeParse(undefined).success,
  );
  const search = query.map(([name, schema]) => `${name}=${fill(toJsonSchema(schema))}`).join('&');
  return `${prefixOf(operation)}${path}?${search}`;
}

test.each(withFields.map((operation) => [operation.id, operation] as const))('of %s', async (_, operation) => {
  const authorization = operation.request.userBasicAuth ? credentials.bearer : credentials.authorization;
  const declared = Object.keys(operation.request.headers ?? {}).map((name) => [name, 'a'] as const);
  const headers = [...Object.entries({ authorization, 'content-type': 'application/json' }), ...declared];
  const path = buildPath(operation);
  const before = await server.dump();
  for (const { body, field, code } of listMutants(operation)) {
    const response = await server.send({ method: operation.method, path, headers, body: JSON.stringify(body) });
    expect(response.status).toBeLessThan(500);
    const items = (response.json as { code: string; details?: { field?: string } }[]).map(
      (item) => `${item.code} ${item.details?.field ?? ''}`,
    );
    expect(items, JSON.stringify(body)).toContain(`${code} ${field}`);
  }
  const send = async (body: unknown) =>
    (await server.send({ method: operation.method, path, headers, body: JSON.stringify(body) })).json;
  for (const [withNull, without] of listNulls(operation))
    expect(await send(withNull), JSON.stringify(withNull)).toEqual(await send(without));
  expect(await server.dump()).toEqual(before);
});
