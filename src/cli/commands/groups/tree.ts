/** `iam groups tree`: draws the dependency graph of groups. */

import { type Command, Option } from 'commander';
import { reference } from '../../../contract/entities.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { getOperation } from '../../request/find-operation.ts';
import { listAllEntries } from '../../request/pagination.ts';
import { buildGraph, drawDot, drawMermaid, drawText, findRoots, findSubgraph, type Graph } from './graph.ts';

/** Adds the command. */
export function addGroupsTree(parent: Command, runtime: CliRuntime): void {
  const command = addCommand(parent, 'tree', {
    title: 'Draw the dependency tree of groups',
    description: 'Each group shows its own roles and, after a plus, the roles inherited from its dependencies.',
    roles: getOperation(runtime.manifest, 'groups.list').roles,
    effect: 'read',
    examples: [
      { title: 'Draw all groups', command: '' },
      { title: 'Draw the dependencies of a group for Graphviz', command: 'leads --format dot' },
      { title: 'Print the graph as JSON', command: '-o json' },
    ],
  })
    .argument('[group]', 'Id or name of the root group')
    .addOption(new Option('--format <format>', 'drawing format').choices(['text', 'dot', 'mermaid']));
  declareValueSources(command, { group: reference('group', ['name', 'id']) });
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
  const format = options.format as string | undefined;
  if (format === undefined && !context.printer.isForPeople) return context.printer.value([...graph.values()]);
  context.printer.lines(draw(context, graph, start, format));
  if (graph.size === 0) context.notice('No groups found.');
}

function draw(context: Context, graph: Graph, start: string | undefined, format: string | undefined): string[] {
  if (format === 'dot') return drawDot(graph);
  if (format === 'mermaid') return drawMermaid(graph);
  const { stdout } = context.io;
  return drawText(graph, start === undefined ? findRoots(graph) : [start], stdout.isTTY ? stdout.columns : undefined);
}

/** Resolves a group reference; ids take precedence over names, as in API paths. */
function findGroupName(graph: Graph, reference: string): string {
  const found = [...graph.values()].find(({ groupId }) => groupId === reference) ?? graph.get(reference);
  if (found) return found.groupName;
  throw new CliError(`Group ${JSON.stringify(reference)} not found.`, {
    code: 'GROUP_NOT_FOUND',
    exitCode: 3,
    hint: 'List groups with `iam groups list`.',
  });
}
