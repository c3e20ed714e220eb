/** `iam groups tree`: which group has the roles of which other, drawn. */

import { type Command, Option } from 'commander';
import { reference } from '../../../contract/entities.ts';
import { addLeaf, type Options, runs } from '../../leaf.ts';
import { allEntries } from '../../list.ts';
import { operationOf } from '../../operations.ts';
import type { Context, Surroundings } from '../../runtime/context.ts';
import { CliError } from '../../runtime/failures.ts';
import { takes } from '../../value-sources.ts';
import { drawDot, drawMermaid, drawText, type Graph, graphOf, partBelow, tops } from './graph.ts';

/** Adds the command. */
export function addGroupsTree(parent: Command, surroundings: Surroundings): void {
  const command = addLeaf(parent, 'tree', {
    title: 'Draws which groups depend on which',
    description:
      'Each group comes with its own roles and, after a plus, the roles that it has from the groups it depends on.',
    roles: operationOf(surroundings.manifest, 'groups.list').roles,
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
  runs(command, surroundings, (context, [reference], options) =>
    tree(context, reference as string | undefined, options),
  );
}

async function tree(context: Context, reference: string | undefined, options: Options): Promise<void> {
  const all = graphOf(
    (await allEntries(context, operationOf(context.manifest, 'groups.list'))) as Parameters<typeof graphOf>[0],
  );
  const start = reference === undefined ? undefined : nameIn(all, reference);
  const graph = start === undefined ? all : partBelow(all, start);
  const drawing = options.format as string | undefined;
  if (drawing === undefined && !context.printer.isForPeople) return context.printer.value([...graph.values()]);
  context.printer.lines(draw(context, graph, start, drawing));
  if (graph.size === 0) context.notice('There are none.');
}

function draw(context: Context, graph: Graph, start: string | undefined, drawing: string | undefined): string[] {
  if (drawing === 'dot') return drawDot(graph);
  if (drawing === 'mermaid') return drawMermaid(graph);
  const { stdout } = context.io;
  return drawText(graph, start === undefined ? tops(graph) : [start], stdout.isTTY ? stdout.columns : undefined);
}

/** Ids go before names, as in every path. */
function nameIn(graph: Graph, reference: string): string {
  const found = [...graph.values()].find(({ groupId }) => groupId === reference) ?? graph.get(reference);
  if (found) return found.groupName;
  throw new CliError(`There is no group ${JSON.stringify(reference)}.`, {
    code: 'GROUP_NOT_FOUND',
    exitCode: 3,
    fix: 'List the groups to find its id or name.',
  });
}
