/** Faults of declarations are found when the server starts, not when somebody calls. */
import type { Operation } from '../../contract/operation.ts';
import { listOperationErrors } from '../../contract/operation-errors.ts';
import { listFieldNames } from '../observability/redaction.ts';

type AnyOperation = Operation<never>;

/** @throws Error listing every fault of the registry. */
export function assertRegistry(registry: readonly Operation<never>[]): void {
  const problems = [
    ...findDuplicates(registry, 'id', ({ id }) => id),
    ...findDuplicates(registry, 'route', ({ method, path }) => `${method} ${path.replaceAll(/\{[^}]+\}/g, '{}')}`),
    ...findDuplicates(registry, 'command', ({ command }) => command),
    ...registry.flatMap(findProblems),
  ];
  if (problems.length > 0) throw new Error(`the registry of operations is at fault:\n${problems.join('\n')}`);
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
    return [`${operation.id}: its ${kind} ${value} is another's too`];
  });
}

function findProblems(operation: AnyOperation): string[] {
  const inPath = [...operation.path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]);
  const declared = Object.keys(operation.request.params ?? {});
  const status = 'page' in operation.response ? 200 : operation.response.status;
  const checks: [boolean, string][] = [
    [inPath.join() === declared.join(), `parameters ${declared.join()} are not those of the path, ${inPath.join()}`],
    [/^(\/([a-z-]+|\{[A-Za-z]+\}))+$/.test(operation.path), `path ${operation.path} is not well formed`],
    [operation.statuses.includes(status), `answers ${status}, which it does not document`],
    [operation.auth !== 'none' || operation.roles.kind === 'public', 'asks for roles but not for who calls'],
    [operation.auth === 'caller' || operation.identifies !== undefined, 'does not say by which fields it identifies'],
    [listIdentifyingFields(operation).every(([, known]) => known), 'identifies by a field that its body does not have'],
    [!(operation.request.body && operation.request.bodyIgnored), 'reads a body that it ignores'],
  ];
  const undocumented = [...listOperationErrors(operation)].filter(
    ([, answered]) => answered === 401 && !operation.statuses.includes(401),
  );
  return [
    ...checks.filter(([holds]) => !holds).map(([, problem]) => `${operation.id}: ${problem}`),
    ...undocumented.map(([code]) => `${operation.id}: no documented status fits ${code}`),
  ];
}

/** Each field by which the operation identifies, and whether there is such a field. */
function listIdentifyingFields({ identifies = [], request }: AnyOperation): [string, boolean][] {
  const fields = request.body ? listFieldNames(request.body) : new Set<string>();
  return identifies.map((name) => [name, name === 'authorization' || fields.has(name)]);
}
