/** Generates docs/operations.md: all operations of the interface by area. */
import type { Operation } from '../../src/contract/operation.ts';
import { servicePrefix } from '../../src/contract/prefix.ts';
import { formatRoles, parseRoles } from '../../src/contract/roles.ts';
import { areaTitles, getArea, type InterfaceOperation, interfaceOperations } from './interface.ts';
import { code, page, table } from './markdown.ts';

type ServedOperations = Readonly<Record<string, Operation<never>>>;

/** Renders the page for these operations. */
export function operationsPage(served: ServedOperations): string {
  const done = interfaceOperations.filter(({ id }) => id in served).length;
  const areas = [...areaTitles].map(([area, title]) => areaPart(area, title, served));
  return page(
    'Operations',
    `${done} of ${interfaceOperations.length} operations are implemented; the others return 404. Paths are relative to ${code(servicePrefix)}. ` +
      `${code('iam call ID')} sends a request to any operation; the last column lists its own command.`,
    'Any request may also return 405, 408, 413, 415, 417, 429, 431 and 503, from HTTP itself or because of overload. ' +
      '200* has an error array: see `soft-errors` in settings.md.',
    ...areas,
  );
}

function areaPart(area: string, title: string, served: ServedOperations): string {
  const operations = interfaceOperations.filter(({ id }) => getArea(id) === area);
  const head = ['', 'Operation', 'Request', 'Statuses', 'Roles', 'Command'];
  return `## ${title}\n\n${table(
    head,
    operations.map((operation) => row(operation, served[operation.id])),
  )}`;
}

function row(listed: InterfaceOperation, operation: Operation<never> | undefined): string[] {
  const { id, method, path, statuses, softErrors, roles } = listed;
  const state = operation ? 'done' : 'planned';
  const shown = statuses.map((status) => (status === 200 && softErrors ? '200*' : String(status)));
  const command = operation?.command === undefined ? '' : code(`iam ${operation.command}`);
  return [state, code(id), code(`${method} ${path}`), shown.join(' '), formatRoles(parseRoles(roles)), command];
}
