import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { AuditDeclaration, TargetField } from '../../src/contract/audit.ts';
import { createOperationDefiner, type PathParameters } from '../../src/contract/operation.ts';
import { listOperationErrors, listPipelineErrors } from '../../src/contract/operation-errors.ts';

const defineOperation = createOperationDefiner<{ readonly greeting: string }>();
const audit = { kind: 'read', targets: {} } as const;

const declared = defineOperation({
  id: 'things.update',
  title: 'Update a group',
  description: 'For this test.',
  method: 'PUT',
  path: '/things/{thingId}',
  auth: 'caller',
  roles: 'ADMIN and ROLE_USER',
  audit: { kind: 'administration', targets: { path: ['thingId'], body: ['name'] } },
  status: [500, '200e', 204, 400, 401, 404],
  request: { params: { thingId: z.string() }, body: z.strictObject({ name: z.string() }) },
  response: { status: 204 },
  errors: ['GROUP_NOT_FOUND', 'GROUP_NAME_TAKEN'],
  async handle() {
    return undefined;
  },
});

const open = defineOperation({
  id: 'things.list',
  title: 'Lists things',
  description: 'For this test.',
  method: 'GET',
  path: '/things',
  auth: 'none',
  roles: 'none',
  audit,
  status: [200, 206, 400, 500],
  request: { query: { limit: z.number().optional() } },
  response: { page: z.string() },
  errors: [],
  async handle(_input, { greeting }) {
    return { items: [greeting] };
  },
});

describe('a declared operation', () => {
  test('has parsed roles and sorted statuses, including the soft 200', () => {
    expect(declared.roles).toEqual({
      kind: 'all',
      of: [
        { kind: 'role', name: 'ADMIN' },
        { kind: 'role', name: 'USER' },
      ],
    });
    expect(declared.statuses).toEqual([200, 204, 400, 401, 404, 500]);
    expect(declared.softErrors).toBe(true);
    expect(open.softErrors).toBe(false);
  });

  test('passes the context to its handler', async () => {
    await expect(
      open.handle({ params: {}, query: {}, headers: {}, body: undefined, accept: '' }, { greeting: 'hello' }),
    ).resolves.toEqual({
      items: ['hello'],
    });
  });

  test('cannot be declared with an unknown role', () => {
    const { command: _none, handle: _handle, ...rest } = open;
    const misspelt = { ...rest, audit, roles: 'ADMIN or UNKNOWN', status: [200], handle: async () => ({ items: [] }) };
    expect(() => defineOperation(misspelt)).toThrow('unknown role UNKNOWN');
  });

  test('accepts only declared string fields as targets of its audit events', () => {
    type Targets = AuditDeclaration<
      PathParameters<'/things/{thingId}'>,
      TargetField<typeof declared.request.body>,
      TargetField<z.ZodArray<z.ZodObject<{ id: z.ZodString }>>>
    >;
    const audited: Targets = { kind: 'administration', targets: { path: ['thingId'], body: ['name'] } };
    // @ts-expect-error: the path has no such parameter.
    const otherPath: Targets = { kind: 'read', targets: { path: ['id'] } };
    // @ts-expect-error: the body has no such field.
    const otherField: Targets = { kind: 'administration', targets: { body: ['count'] } };
    // @ts-expect-error: a list has no target fields.
    const inList: Targets = { kind: 'administration', targets: { response: ['id'] } };
    // @ts-expect-error: a field of the body may contain a password by mistake.
    const inProof: Targets = { kind: 'authentication', targets: { body: ['name'] } };
    expect([audited, otherPath, otherField, inList, inProof]).toHaveLength(5);
    expect(declared.audit).toEqual(audited);
  });
});

describe('the documented responses of an operation', () => {
  test('include those that the pipeline adds for its request and authentication methods', () => {
    expect(listPipelineErrors(declared)).toEqual(
      expect.arrayContaining([
        'INTERNAL',
        'CREDENTIALS_MISSING',
        'ROLE_MISSING',
        'PATH_VALUE',
        'BODY_NOT_JSON',
        'FIELD_UNKNOWN',
      ]),
    );
    expect(listPipelineErrors(declared)).not.toContain('CURSOR_INVALID');
    expect(listPipelineErrors(open)).toEqual([
      'INTERNAL',
      'FIELD_TYPE',
      'FIELD_VALUE',
      'QUERY_REPEATED',
      'CURSOR_INVALID',
    ]);
  });

  test('include invalid headers only if 400 is documented, and only the declared code of a malformed body', () => {
    const { command: _none, handle: _handle, ...rest } = open;
    const handle = async () => ({ items: [] });
    const headers = { param: z.string() };
    const withHeaders = defineOperation({
      ...rest,
      audit,
      roles: 'none',
      status: [200, 400],
      request: { headers },
      handle,
    });
    expect(listPipelineErrors(withHeaders)).toEqual(expect.arrayContaining(['FIELD_MISSING', 'FIELD_VALUE']));
    const request = { headers, body: z.strictObject({}), malformedBody: 'CREDENTIALS_INVALID' } as const;
    const withMalformedBody = defineOperation({ ...rest, audit, roles: 'none', status: [200, 401], request, handle });
    // An invalid cursor is ignored if 400 is not documented.
    expect(listPipelineErrors(withMalformedBody)).toEqual(['INTERNAL', 'CREDENTIALS_INVALID']);
  });

  test('have a documented status for each code', () => {
    expect(listOperationErrors(declared).get('GROUP_NOT_FOUND')).toBe(404);
    expect(listOperationErrors(declared).get('GROUP_NAME_TAKEN')).toBe(400);
    expect(listOperationErrors(declared).get('ROLE_MISSING')).toBe(401);
  });
});
