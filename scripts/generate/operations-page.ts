/** Generates docs/reference/operations.md: all operations by area, from their declarations. */
import type { Operation } from '../../src/contract/operation.ts';
import { servicePrefix } from '../../src/contract/prefix.ts';
import { formatRoles } from '../../src/contract/roles.ts';
import { type ApiTag, serviceTags } from '../../src/server/openapi/tags.ts';
import { code, page, table } from './markdown.ts';

type AnyOperation = Operation<never>;

/** Renders the page for these operations. */
export function operationsPage(operations: Readonly<Record<string, AnyOperation>>): string {
  const all = Object.values(operations);
  return page(
    'Operations',
    `The service has ${all.length} operations. Paths are relative to ${code(servicePrefix)}. ` +
      `${code('iam call ID')} sends a request to any operation; the last column lists its own command.`,
    'Any request may also return 405, 408, 413, 415, 417, 429, 431 and 503, from HTTP itself or because of overload. ' +
      '200* has an error array: see `soft-errors` in settings.md.',
    ...serviceTags.map((tag) =>
      renderArea(
        tag,
        all.filter(({ id }) => id.startsWith(`${tag.name}.`)),
      ),
    ),
  );
}

function renderArea({ name, description }: ApiTag, operations: readonly AnyOperation[]): string {
  const head = ['Operation', 'Request', 'Statuses', 'Roles', 'Command'];
  return `## ${name}\n\n${description}\n\n${table(head, operations.map(renderRow))}`;
}

function renderRow({ id, method, path, statuses, softErrors, roles, command }: AnyOperation): string[] {
  const documented = statuses.map((status) => (status === 200 && softErrors ? '200*' : String(status)));
  const row = [code(id), code(`${method} ${path}`), documented.join(' '), formatRoles(roles)];
  return [...row, command === undefined ? '' : code(`iam ${command}`)];
}
