import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { manifest } from '../../src/contract/manifest.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { listOperationErrors } from '../../src/contract/operation-errors.ts';
import { operationReference } from '../../src/contract/operation-reference.ts';
import { formatRoles } from '../../src/contract/roles.ts';
import { operations } from '../../src/server/operations/index.ts';

const registry: readonly Operation<never>[] = Object.values(operations);

/** The names of the properties of a response body. */
function namesOf(body: z.ZodType | undefined): string[] {
  if (!body) return [];
  const { $ref, $defs = {}, ...own } = z.toJSONSchema(body, { io: 'output', unrepresentable: 'any' });
  const schema = $ref === undefined ? own : $defs[$ref.replace('#/$defs/', '')];
  return Object.keys(schema?.properties ?? {});
}

describe('the manifest that is read from the API document', () => {
  test('has every operation of the registry, in the order of their ids', () => {
    expect(manifest.operations.map(({ id }) => id)).toEqual(registry.map(({ id }) => id));
  });

  test.each(registry)('has $id as declared', (operation) => {
    const { id, title, description, method, path, auth, statuses, softErrors, cliExamples, request } = operation;
    const found = manifest.operations.find((one) => one.id === id);
    expect(found).toMatchObject({
      title,
      description,
      method,
      path,
      auth,
      statuses,
      softErrors,
      examples: cliExamples,
    });
    expect(found?.roles).toBe(formatRoles(operation.roles));
    expect(found?.command).toBe(operation.command);
    expect(found?.creates).toBe(operation.creates);
    expect(found?.customCommand).toBe(operation.customCommand);
    expect(found?.clientLogin).toBe(operation.clientLogin);
    for (const part of ['params', 'query', 'headers'] as const)
      expect((found?.[part] ?? []).map(({ name }) => name)).toEqual(Object.keys(request[part] ?? {}));
    expect(found?.body !== undefined).toBe(request.body !== undefined);
    const { response } = operation;
    expect(found?.response.page).toBe('page' in response);
    const body = 'page' in response ? response.page : 'body' in response ? response.body : undefined;
    expect(Object.keys(found?.response.schema?.properties ?? {})).toEqual(namesOf(body));
  });

  test('has no reference and no example', () => {
    expect(JSON.stringify(manifest.operations)).not.toContain('$ref');
    expect(JSON.stringify(manifest.operations)).not.toMatch(/"examples":\[(?!\{"title"|\])/);
  });

  test.each(registry)('lists the error codes of $id by status', (operation) => {
    const errors = Object.entries(operationReference[operation.id]?.errors ?? {}).flatMap(([status, codes]) =>
      codes.map((code) => [code, Number(status)]),
    );
    expect(Object.fromEntries(errors)).toEqual(Object.fromEntries(listOperationErrors(operation)));
  });
});
