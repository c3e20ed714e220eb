/** `iam groups tree`: which group has the roles of which other, drawn. */

import { type Command, Option } from 'commander';
import { reference } from '../../../contract/entities.ts';
import { addCommand, type CommandOptions, setAction } from '../../command.ts';
import { getOperation } from '../../find-operation.ts';
import { listAllEntries } from '../../pagination.ts';
import type { CliRuntime, Context } from '../../runtime/context.ts';
import { CliError } from '../../runtime/errors.ts';
import { takes } from '../../value-sources.ts';
import { buildGraph, drawDot, drawMermaid, drawText, findRoots, findSubgraph, type Graph } from './graph.ts';

/** Adds the command. */
export function addGroupsTree(parent: Command, runtime: CliRuntime): void {
  const command = addCommand(parent, 'tree', {
    title: 'Draws which groups depend on which',
    description:
      'Each group comes with its own roles and, after a plus, the roles that it has from the groups it depends on.',
    roles: getOperation(runtime.manifest, 'groups.list').roles,
    effect: 'read',
    examples: [
      { title: 'All groups', command: '' },
      { title: 'What one group rests on, for Graphviz', command: 'leads --format dot' },
      { title: 'As data', command: '-o json' },
    ],
  })
    .argument('[group]', 'Id or name of the group to start at')
    .addOption(new Option('--format <format>', 'how to draw').choices(['text', 'dot', 'mermaid']));
  takes(command, { group: reference('group', ['name', 'id']) });
  setAction(command, runtime, (context, [reference], options) =>
    tree(context, reference as string | undefined, options),
  );
}

async function tree(context: Context, reference: string | undefined, options: CommandOptions): Promise<void> {
  const all = buildGraph(
    (await listAllEntries(context, getOperation(context.manifest, 'groups.list'))) as Parameters<typeof buildGraph>[0],
  );
  const start = reference === undefined ? undefined : findGroupName(all, reference);
  const graph = start === undefined ? all : findSubgraph(all, start);
  const drawing = options.format as string | undefined;
  if (drawing === undefined && !context.printer.isForPeople) return context.printer.value([...graph.values()]);
  context.printer.lines(draw(context, graph, start, drawing));
  if (graph.size === 0) context.notice('There are none.');
}

function draw(context: Context, graph: Graph, start: string | undefined, drawing: string | undefined): string[] {
  if (drawing === 'dot') return drawDot(graph);
  if (drawing === 'mermaid') return drawMermaid(graph);
  const { stdout } = context.io;
  return drawText(graph, start === undefined ? findRoots(graph) : [start], stdout.isTTY ? stdout.columns : undefined);
}

/** Ids go before names, as in every path. */
function findGroupName(graph: Graph, reference: string): string {
  const found = [...graph.values()].find(({ groupId }) => groupId === reference) ?? graph.get(reference);
  if (found) return found.groupName;
  throw new CliError(`There is no group ${JSON.stringify(reference)}.`, {
    code: 'GROUP_NOT_FOUND',
    exitCode: 3,
    hint: 'List groups with `iam groups list`.',
  });
}
