/** `iam groups tree`: draws the dependency graph of groups, or prints it as data. */

import { type Command, Option } from 'commander';
import { reference } from '../../../contract/entities.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { escapeControls } from '../../io/control-characters.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { addFieldOption, createField } from '../../request/field-options.ts';
import { getOperation } from '../../request/find-operation.ts';
import { listAllEntries } from '../../request/pagination.ts';
import { NameResolver } from '../../request/resolve-names.ts';
import {
  buildGraph,
  drawDot,
  drawMermaid,
  drawText,
  findRoots,
  findSubgraph,
  type Graph,
  listDependents,
} from './graph.ts';
import { buildGraphData, printGraphData, readGraphData } from './graph-data.ts';

export function addGroupsTree(parent: Command, runtime: CliRuntime): void {
  const command = addCommand(parent, 'tree', {
    title: 'Draw the dependency tree of groups, or print it as data',
    description:
      'Each group shows its own roles and, after a plus, the roles inherited from its dependencies. With a group: it, the groups that it depends on, and those that depend on it. For programs, also with numbers of dependents and, if the server has a control plane, of members.',
    roles: getOperation(runtime.manifest, 'groups.list').roles,
    effect: 'read',
    examples: [
      { title: 'Draw all groups', command: '' },
      { title: 'Show what depends on a group, before a change', command: 'ops' },
      { title: 'Draw a group for Graphviz', command: 'leads --format dot' },
      { title: 'Print the graph as JSON', command: '-o json' },
    ],
  })
    .argument('[group]', 'Id or name of a group')
    .addOption(new Option('--format <format>', 'drawing format').choices(['text', 'dot', 'mermaid']));
  addFieldOption(
    command,
    createField(
      ['limit'],
      { type: 'integer', description: 'max groups as data, at most 1000, which is the default' },
      false,
    ),
  );
  const group = reference('group', ['name', 'id']);
  declareValueSources(command, { group });
  setAction(command, runtime, async (context, [typed], options) =>
    tree(context, await new NameResolver(context).resolveOptional(group, typed), options),
  );
}

async function tree(context: Context, root: string | undefined, options: CommandOptions): Promise<void> {
  const format = options.format as string | undefined;
  const isData = format === undefined && !context.printer.isForPeople;
  const limit = options.limit as number | undefined;
  const data = isData ? await readGraphData(context, { root, limit }) : undefined;
  if (data) return printGraphData(context, data);
  const all = buildGraph(
    (await listAllEntries(context, getOperation(context.manifest, 'groups.list'))) as Parameters<typeof buildGraph>[0],
  );
  const start = root === undefined ? undefined : findGroupName(all, root);
  const shown = start === undefined ? all : findSubgraph(all, start);
  if (isData) return printGraphData(context, buildGraphData(all, shown, limit));
  context.printer.lines(draw(context, shown, start, format));
  if (shown.size === 0) context.notice('No groups found.');
}

function draw(context: Context, graph: Graph, start: string | undefined, format: string | undefined): string[] {
  if (format === 'dot') return drawDot(graph);
  if (format === 'mermaid') return drawMermaid(graph);
  const { stdout } = context.io;
  const width = stdout.isTTY ? stdout.columns : undefined;
  if (start === undefined) return drawText(graph, findRoots(graph), width);
  const dependents = listDependents(graph, start);
  const line = dependents.length === 0 ? [] : [`dependents  ${dependents.map(escapeControls).join(', ')}`];
  return [...drawText(graph, [start], width), ...line];
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
