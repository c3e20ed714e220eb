import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { errorTable } from '../../src/contract/error-codes.ts';
import { buildOpenApiDocument } from '../../src/server/openapi/document.ts';
import { oauthTags, serviceTags } from '../../src/server/openapi/tags.ts';
import { type ApiDocument, controlDocument, listOperations, serviceDocument } from './openapi-documents.ts';

const { document, operations: registry } = serviceDocument;
const described = listOperations(document).map(({ call, described: operation }) => ({ call, ...operation }));

/** Every value of a member with this name, at any depth. */
function valuesOf(name: string, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [...(key === name ? [item] : []), ...valuesOf(name, item)]);
}

describe('docs/openapi.json', () => {
  test('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    await expect(validator.validate(serviceDocument.source)).resolves.toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('lists exactly the operations of the registry', () => {
    expect(described.length).toBeGreaterThan(0);
    const calls = registry.map(({ id, method, path }) => ({ operationId: id, call: `${method} ${path}` }));
    const listed = described.map(({ operationId, call }) => ({ operationId, call }));
    expect(new Set(listed.map((one) => JSON.stringify(one)))).toEqual(
      new Set(calls.map(({ operationId, call }) => JSON.stringify({ operationId, call }))),
    );
  });

  test.each(registry)('$id has a response for every status it documents', ({ id, statuses }) => {
    const responses = Object.keys(described.find(({ operationId }) => operationId === id)?.responses ?? {});
    expect(responses).toEqual(expect.arrayContaining(statuses.map(String)));
    expect(responses).toContain('default');
  });

  test('documents 415 for the operations with a body, and 4XX for all', () => {
    const with415 = described.filter(({ responses }) => '415' in responses).map(({ operationId }) => operationId);
    const withBody = registry.filter(({ request }) => 'body' in request).map(({ id }) => id);
    expect(withBody.length).toBeGreaterThan(0);
    expect(with415.toSorted()).toEqual(withBody.toSorted());
    expect(described.filter(({ responses }) => !('4XX' in responses))).toEqual([]);
  });

  test('documents every error code, together with the document of the control plane', () => {
    const documented = new Set(
      valuesOf('examples', [document, controlDocument.document]).flatMap((examples) => Object.keys(examples as object)),
    );
    expect((Object.keys(errorTable) as string[]).filter((code) => !documented.has(code))).toEqual([]);
  });

  test('has an example in every schema', () => {
    const schemas = [document, controlDocument.document].flatMap((one) => Object.entries(one.components.schemas ?? {}));
    expect(schemas.length).toBeGreaterThan(0);
    expect(schemas.filter(([, schema]) => !('examples' in (schema as object))).map(([name]) => name)).toEqual([]);
  });

  test('documents no error code that only the control plane returns', () => {
    expect(Object.keys(document.components.examples ?? {})).not.toContain('SNAPSHOT_NOT_FOUND');
    expect(Object.keys(document.components.examples ?? {})).not.toContain('ORIGIN_FOREIGN');
  });

  test('declares exactly the tags of the operations', () => {
    const tagNames = new Set(registry.map(({ id }) => id.split('.')[0]));
    expect([...serviceTags, ...oauthTags].map(({ name }) => name).toSorted()).toEqual([...tagNames].toSorted());
  });
});

/** Removes what only the committed document contains. */
function withoutCommands(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCommands);
  if (typeof value !== 'object' || value === null) return value;
  const members = ['x-command', 'x-effect', 'x-errors', 'x-sensitivity', 'x-argument', 'x-label', 'x-only-for'];
  const kept = Object.entries(value).filter(([key]) => !members.includes(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutCommands(item)]));
}

describe('the document that a server builds', () => {
  const built = buildOpenApiDocument(registry, { version: '1.2.3', baseUrl: 'https://iam.example/' });
  const paths = built.paths as ApiDocument['paths'];

  test('is the committed one without the members of the command', () => {
    const { info, servers } = document as ApiDocument & { readonly info: { readonly version: string } };
    const baseUrl = new URL(servers[0]?.url ?? '').origin;
    const built = buildOpenApiDocument(registry, { version: info.version, baseUrl });
    expect(JSON.stringify(built)).toBe(JSON.stringify(withoutCommands(document)));
    expect(JSON.stringify(built)).not.toContain('"x-command"');
  });

  test('contains headers, optional bodies and deprecations', () => {
    expect(paths['/user-identities/auth-legacy-by-param']?.post).toMatchObject({
      deprecated: true,
      parameters: expect.arrayContaining([
        expect.objectContaining({ name: 'param', in: 'header', required: true }),
        expect.objectContaining({ name: 'ip', in: 'header', required: false }),
      ]),
      requestBody: { required: false },
    });
    expect(paths['/user-identities/renew-token']?.post).toMatchObject({
      requestBody: { required: true },
    });
  });

  test('describes forms as form content, and errors of the OAuth endpoint as in RFC 6749', () => {
    const { requestBody, responses } = paths['/client-identities/connect/token']?.post ?? {};
    expect(Object.keys(requestBody?.content ?? {})).toEqual(['application/x-www-form-urlencoded', 'application/json']);
    expect(responses?.['400']).toMatchObject({
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/OAuthError' },
          examples: { GRANT_TYPE_UNSUPPORTED: { value: { error: 'unsupported_grant_type' } } },
        },
      },
    });
  });

  test('contains the base URL with the path prefix of the API', () => {
    expect(built).toMatchObject({
      info: { version: '1.2.3' },
      servers: [{ url: 'https://iam.example/security/iam/v1' }],
    });
  });
});
