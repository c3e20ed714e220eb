/** Compares the OpenAPI document of the control plane with the served routes. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controlTags } from '../../src/server/openapi/tags.ts';
import { startServer, type TestServer } from '../harness.ts';
import { send } from '../server/control/control-client.ts';
import { type ApiDocument, controlDocument, listOperations } from './openapi-documents.ts';

const { file, source, document, operations } = controlDocument;

let server: TestServer;
let servedDocument: ApiDocument;
beforeAll(async () => {
  server = await startServer();
  servedDocument = (await send(server, '/_iam/openapi.json')).body as ApiDocument;
});
afterAll(() => server[Symbol.asyncDispose]());

describe(file, () => {
  test('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    await expect(validator.validate(source)).resolves.toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('equals the served document, except for the server URL', () => {
    const { servers: _, ...rest } = servedDocument;
    const { servers: __, ...built } = document;
    expect(rest).toEqual(built);
  });

  test('accepts null for optional members, also in options of unions and in maps', () => {
    const nullable = { 'x-null': 'absent' };
    expect(document).toHaveProperty(
      'components.schemas.SeedDocument.properties',
      expect.objectContaining({
        providers: expect.objectContaining({
          ...nullable,
          items: expect.objectContaining({
            oneOf: expect.arrayContaining([
              expect.objectContaining({
                properties: expect.objectContaining({ emailDomains: expect.objectContaining(nullable) }),
              }),
            ]),
          }),
        }),
        settings: expect.objectContaining({ ...nullable, additionalProperties: expect.objectContaining(nullable) }),
      }),
    );
  });

  test('lists each route exactly once, under a declared tag', () => {
    const listed = listOperations(document).map(({ call, described }) => `${described.operationId} ${call}`);
    expect(listed.toSorted()).toEqual(operations.map(({ id, method, path }) => `${id} ${method} ${path}`).toSorted());
    const tagNames = document.tags.map(({ name }) => name);
    expect(tagNames).toEqual(controlTags.map(({ name }) => name));
    const operationsWithUnknownTag = listOperations(document).filter(
      ({ described: { tags } }) => !tagNames.includes(tags[0] ?? ''),
    );
    expect(operationsWithUnknownTag).toEqual([]);
  });
});

test('every path of the control plane accepts the documented methods only', async () => {
  const paths = Object.entries(servedDocument.paths);
  expect(paths.length).toBeGreaterThan(20);
  for (const [template, methods] of paths) {
    // A method without a route is rejected before any processing.
    const { status, headers } = await send(server, `/_iam${template.replaceAll(/\{\w+\}/g, 'x')}`, {
      method: 'OPTIONS',
    });
    const listedMethods = Object.keys(methods).map((method) => method.toUpperCase());
    expect([template, status]).toEqual([template, 405]);
    const allowed = String(headers.allow).split(', ');
    expect(allowed.filter((method) => method !== 'HEAD').toSorted()).toEqual(listedMethods.toSorted());
  }
});
