/** The document of the control plane beside the control plane as it is served. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controlAreas } from '../../src/server/documents/areas.ts';
import { startServer, type TestServer } from '../harness.ts';
import { send } from '../server/control/calls.ts';
import { type ApiDocument, describedIn, documents } from './openapi-documents.ts';
import { read } from './sources.ts';

const file = 'docs/control-openapi.json';
const { document, operations } = documents.find((one) => one.file === file) as (typeof documents)[number];

let server: TestServer;
let served: ApiDocument;
beforeAll(async () => {
  server = await startServer();
  served = (await send(server, '/_iam/openapi.json')).body as ApiDocument;
});
afterAll(() => server[Symbol.asyncDispose]());

describe(file, () => {
  test('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    await expect(validator.validate(read(file))).resolves.toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('is what is served, but for the address', () => {
    const { servers: _, ...rest } = served;
    const { servers: __, ...kept } = document;
    expect(rest).toEqual(kept);
  });

  test('lists exactly the routes, each once and in an area that it describes', () => {
    const listed = describedIn(document).map(({ call, described }) => `${described.operationId} ${call}`);
    expect(listed.toSorted()).toEqual(operations.map(({ id, method, path }) => `${id} ${method} ${path}`).toSorted());
    const areas = document.tags.map(({ name }) => name);
    expect(areas).toEqual(controlAreas.map(({ name }) => name));
    const strays = describedIn(document).filter(({ described: { tags } }) => !areas.includes(tags[0] ?? ''));
    expect(strays).toEqual([]);
  });
});

test('every path of it takes the methods that it lists, and no others', async () => {
  const paths = Object.entries(served.paths);
  expect(paths.length).toBeGreaterThan(20);
  for (const [template, methods] of paths) {
    // A method that no route has is refused before anything is done.
    const { status, headers } = await send(server, `/_iam${template.replaceAll(/\{\w+\}/g, 'x')}`, {
      method: 'OPTIONS',
    });
    const taken = Object.keys(methods).map((method) => method.toUpperCase());
    expect([template, status]).toEqual([template, 405]);
    const allowed = String(headers.allow).split(', ');
    expect(allowed.filter((method) => method !== 'HEAD').toSorted()).toEqual(taken.toSorted());
  }
});
