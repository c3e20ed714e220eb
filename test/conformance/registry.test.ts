/** Rules for all operations of the registry. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ErrorEntry, errorTable } from '../../src/contract/error-codes.ts';
import { type ErrorCode, implicitStatuses, resolveErrorStatus } from '../../src/contract/errors.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { listOperationErrors } from '../../src/contract/operation-errors.ts';
import { formatRoles } from '../../src/contract/roles.ts';
import { reservedNames } from '../../src/contract/schemas/primitives.ts';
import { controlRoutes } from '../../src/server/control/routes/index.ts';
import { oauthOperations } from '../../src/server/oauth/index.ts';
import { serviceTags } from '../../src/server/openapi/tags.ts';
import { operations } from '../../src/server/operations/index.ts';
import { findRegistryProblems, listFieldNames } from './registry-problems.ts';
import { interfaceOperations } from './service-interface.ts';
import { listSourceFiles, root, stripComments } from './source-files.ts';

const registry: Readonly<Record<string, Operation<never>>> = operations;
const all = Object.entries(registry);

function findDuplicates(values: readonly string[]): string[] {
  return values.filter((value, at) => values.indexOf(value) !== at);
}

describe('the interface', () => {
  test('has each operation once', () => {
    expect(interfaceOperations).not.toEqual([]);
    expect(findDuplicates(interfaceOperations.map(({ id }) => id))).toEqual([]);
    expect(findDuplicates(interfaceOperations.map(({ method, path: at }) => `${method} ${at}`))).toEqual([]);
  });
});

describe('the registry', () => {
  test('contains each operation of the interface', () => {
    expect(all.map(([id]) => id)).toEqual(expect.arrayContaining(interfaceOperations.map(({ id }) => id)));
  });

  test('has one tag for each area of the interface', () => {
    const areas = new Set(all.map(([id]) => id.split('.')[0]));
    expect(serviceTags.map(({ name }) => name).sort()).toEqual([...areas].sort());
  });

  test('has no two operations with one command, and no command that hides another', () => {
    const commands = all.flatMap(([, { command }]) => (command === undefined ? [] : [command]));
    expect(findDuplicates(commands)).toEqual([]);
    expect(commands.filter((command) => commands.some((other) => other.startsWith(`${command} `)))).toEqual([]);
  });

  test('registers each operation under its id', () => {
    expect(all.filter(([id, operation]) => operation.id !== id)).toEqual([]);
  });
});

describe('the parts of the declarations', () => {
  test('fit together', () => {
    expect(findRegistryProblems([...Object.values(registry), ...oauthOperations])).toEqual([]);
  });

  const { 'groups.get': read, 'groups.create': create } = registry as Record<string, Operation<never>>;
  test.each([
    ['parameters', { ...read, path: '/groups/{other}' }],
    ['not well formed', { ...read, path: '/groups//{groupId}' }],
    ['which it does not document', { ...read, statuses: [404] }],
    ['requires roles but no authentication', { ...read, auth: 'none' }],
    ['does not declare', { ...read, auth: 'none', roles: { kind: 'public' }, identifies: undefined }],
    ['a field that the body does not have', { ...create, identifies: ['nonsense'] }],
    ['bodyIgnored', { ...create, request: { ...create?.request, bodyIgnored: true } }],
    ['no documented status fits', { ...read, statuses: [200] }],
  ])('are checked: %s', (problem, declaration) => {
    expect(findRegistryProblems([declaration as Operation<never>]).join('\n')).toContain(problem);
  });

  test('are checked: route', () => {
    const other = { ...read, id: 'groups.other', path: '/groups/{id}' } as Operation<never>;
    expect(findRegistryProblems([read as Operation<never>, other]).join('\n')).toContain('its route');
  });
});

test.each(interfaceOperations)('$id matches the interface', (given) => {
  const operation = registry[given.id] as Operation<never>;
  const { id, method, path: at, auth, roles } = operation;
  const statuses = listDocumentedStatuses(operation);
  expect({ id, method, path: at, auth, statuses, roles: formatRoles(roles) }).toEqual(given);
});

describe.each(all)('%s', (id, operation) => {
  test('maps each of its error codes to a documented status', () => {
    const wrong = operation.errors.filter((code) => {
      const status = resolveErrorStatus(code, operation.statuses);
      return !operation.statuses.includes(status) && !implicitStatuses.includes(status);
    });
    expect(wrong).toEqual([]);
  });

  test('documents no unreachable status', () => {
    const reachable = new Set([...listSuccessStatuses(operation), ...listOperationErrors(operation).values()]);
    // The pipeline returns 500 for bugs and 503 when the store rejects writes.
    const unreachable = operation.statuses.filter(
      (status) => !reachable.has(status) && status !== 500 && status !== 503,
    );
    expect(unreachable).toEqual([]);
  });

  test('lists each error code once', () => {
    expect(findDuplicates([...operation.errors])).toEqual([]);
  });

  test('has a test file', () => {
    const file = `test/server/operations/${id.replaceAll('.', '/')}.test.ts`;
    expect(existsSync(path.join(root, file)), `${file} is missing`).toBe(true);
  });
});

function listSuccessStatuses({ response, softErrors }: Operation<never>): number[] {
  return [...('page' in response ? [200, 206] : [response.status]), ...(softErrors ? [200] : [])];
}

/** The statuses as the interface writes them. */
function listDocumentedStatuses({ statuses, softErrors }: Operation<never>): string[] {
  return statuses.map((status) => (status === 200 && softErrors ? '200e' : String(status)));
}

describe('the error table', () => {
  const entries = Object.entries<ErrorEntry>(errorTable);

  test('names the field of each code that is about the value of one', () => {
    const aboutValues = entries.filter(([, { category }]) =>
      ['taken', 'unknown-reference', 'value'].includes(category),
    );
    expect(aboutValues.filter(([, { fields }]) => fields === undefined).map(([code]) => code)).toEqual([
      // About the whole document, about several fields, or about an assertion.
      'STATE_NEWER',
      'STATE_DAMAGED',
      'FACTOR_TAKEN',
      'SUBJECT_UNKNOWN',
      'OWNER_AMBIGUOUS',
      'SELECTION_AMBIGUOUS',
      'CONTACT_AMBIGUOUS',
      'TOO_MANY_FACTORS',
    ]);
  });

  test('names a field that each operation and route with the code has', () => {
    const lacking = [...Object.values(registry), ...controlRoutes].flatMap((operation) => {
      const { params = {}, query = {}, body } = operation.request;
      const names = new Set([...Object.keys(params), ...Object.keys(query), ...(body ? listFieldNames(body) : [])]);
      const isLacking = (code: ErrorCode) => {
        const { fields }: ErrorEntry = errorTable[code];
        return fields?.some((name) => names.has(name)) === false;
      };
      return operation.errors.filter(isLacking).map((code) => `${operation.id}: ${code}`);
    });
    // Of what a code verifies.
    const verified = ['complete-associate-legacy: LOGON_TAKEN', 'factors.validate-token: LOGIN_NAME_TAKEN'];
    expect(lacking).toEqual(verified.map((one) => `user-identities.${one}`));
  });

  test('contains no unused code', () => {
    const returned = new Set(all.flatMap(([, operation]) => [...listOperationErrors(operation).keys()]));
    const sources = listSourceFiles('src/server').map(stripComments).join('\n');
    const unused = (Object.keys(errorTable) as ErrorCode[]).filter(
      (code) => !returned.has(code) && !sources.includes(`'${code}'`),
    );
    expect(unused).toEqual([]);
  });
});

describe('reserved names', () => {
  /** Path segments at a position where another path has a parameter. */
  function literalsBesideParameters(): string[] {
    const paths = interfaceOperations.map(({ path: at }) => at.split('/').slice(1));
    const isParameter = (segment: string | undefined) => segment?.startsWith('{') ?? false;
    const alike = (a: string, b: string | undefined) => a === b || isParameter(a) || isParameter(b);
    return paths.flatMap((segments) =>
      segments.filter(
        (segment, at) =>
          !isParameter(segment) &&
          paths.some(
            (other) =>
              isParameter(other[at]) && segments.slice(0, at).every((part, index) => alike(part, other[index])),
          ),
      ),
    );
  }

  test('include every literal path segment at the position of a parameter', () => {
    const literals = [...new Set(literalsBesideParameters())];
    expect(literals).toContain('user-accounts');
    expect(literals.filter((word) => !reservedNames.has(word))).toEqual([]);
  });
});
