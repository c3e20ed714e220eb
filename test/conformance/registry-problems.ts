/** Checks that the parts of each declaration of an operation fit together. */
import * as z from 'zod';
import type { Operation } from '../../src/contract/operation.ts';
import { listOperationErrors } from '../../src/contract/operation-errors.ts';

type AnyOperation = Operation<never>;

/** Returns the contradictions within the declarations of the operations, one line each. */
export function findRegistryProblems(registry: readonly AnyOperation[]): string[] {
  return [
    ...findDuplicates(registry, 'route', ({ method, path }) => `${method} ${path.replaceAll(/\{[^}]+\}/g, '{}')}`),
    ...registry.flatMap(findProblems),
  ];
}

function findDuplicates(
  registry: readonly AnyOperation[],
  kind: string,
  keyOf: (operation: AnyOperation) => string | undefined,
): string[] {
  const seen = new Set<string>();
  return registry.flatMap((operation) => {
    const value = keyOf(operation);
    if (value === undefined || !seen.has(value)) {
      if (value !== undefined) seen.add(value);
      return [];
    }
    return [`${operation.id}: its ${kind} ${value} is also used by another operation`];
  });
}

function findProblems(operation: AnyOperation): string[] {
  const inPath = [...operation.path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]);
  const declared = Object.keys(operation.request.params ?? {});
  const status = 'page' in operation.response ? 200 : operation.response.status;
  const checks: [boolean, string][] = [
    [
      inPath.join() === declared.join(),
      `parameters ${declared.join()} do not match those of the path, ${inPath.join()}`,
    ],
    [/^(\/([a-z][a-z0-9_-]*|\{[A-Za-z]+\}))+$/.test(operation.path), `path ${operation.path} is not well formed`],
    [operation.statuses.includes(status), `responds with ${status}, which it does not document`],
    [operation.auth !== 'none' || operation.roles.kind === 'public', 'requires roles but no authentication'],
    [operation.auth === 'caller' || operation.identifies !== undefined, 'does not declare the fields in `identifies`'],
    [
      listIdentifyingFields(operation).every(([, known]) => known),
      '`identifies` contains a field that the body does not have',
    ],
    [!(operation.request.body && operation.request.bodyIgnored), 'declares both a body and bodyIgnored'],
  ];
  const undocumented = [...listOperationErrors(operation)].filter(
    ([, status]) => status === 401 && !operation.statuses.includes(401),
  );
  return [
    ...checks.filter(([isValid]) => !isValid).map(([, problem]) => `${operation.id}: ${problem}`),
    ...undocumented.map(([code]) => `${operation.id}: no documented status fits ${code}`),
  ];
}

/** Each field of the body in `identifies`, and whether the field exists. */
function listIdentifyingFields({ identifies = [], request }: AnyOperation): [string, boolean][] {
  const names = identifies.filter((name) => name !== 'authorization');
  if (names.length === 0) return [];
  const fields = request.body ? listFieldNames(request.body) : new Set<string>();
  return names.map((name) => [name, fields.has(name)]);
}

/** All field names that a schema declares, at any depth. */
export function listFieldNames(schema: z.ZodType): ReadonlySet<string> {
  const names = new Set<string>();
  collectFieldNames(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), names);
  return names;
}

function collectFieldNames(node: unknown, found: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  const { properties } = node as { readonly properties?: object };
  for (const name of Object.keys(properties ?? {})) found.add(name);
  for (const inner of Object.values(node)) collectFieldNames(inner, found);
}
