/** `iam groups graph`: groups with inherited roles, dependents and members, from the control plane. */
import type { Command } from 'commander';
import { reference } from '../../../contract/entities.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import type { TableRow } from '../../output/table.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { buildListShape, callControlPlane, controlPlaneNote } from '../../request/control-plane.ts';
import { addFieldOption, createField } from '../../request/field-options.ts';
import { printPages } from '../../request/pagination.ts';

const columns = ['groupName', 'roles', 'inheritedRoles', 'dependents', 'members'];
const shape = buildListShape(
  [...columns, 'groupId', 'users', 'businesses', 'businessUsers', 'services'],
  columns.length,
);

/** Adds the command. */
export function addGroupsGraph(parent: Command, runtime: CliRuntime): void {
  const command = addCommand(parent, 'graph', {
    title: 'Show groups with inherited roles, dependents and numbers of members',
    description: `With a group: it, the groups that it depends on, and those that depend on it. As JSON or YAML also with the dependencies between them. \`iam groups tree\` draws the dependencies. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'Show what depends on a group, before a change', command: 'ops' },
      { title: 'The whole graph as JSON', command: '-o json' },
    ],
  }).argument('[group]', 'Id or name of a group');
  addFieldOption(
    command,
    createField(['limit'], { type: 'integer', description: 'max groups, at most 1000, which is the default' }, false),
  );
  declareValueSources(command, { group: reference('group', ['name', 'id']) });
  setAction(command, runtime, (context, [group], options) =>
    printGraph(context, group === undefined ? undefined : String(group), options),
  );
}

interface GraphNode {
  readonly groupId: string;
  readonly groupName: string;
  readonly roles: readonly string[];
  readonly inheritedRoles: readonly string[];
  readonly dependentCount: number;
  readonly members: Readonly<Record<'user' | 'business' | 'businessUser' | 'service', number>>;
}

async function printGraph(context: Context, root: string | undefined, { limit }: CommandOptions): Promise<void> {
  const query = { root, limit: limit as number | undefined };
  const { body } = await callControlPlane(context, 'GET', '/_iam/groups/graph', { query });
  const graph = body as { readonly nodes: readonly GraphNode[]; readonly groupCount: number };
  const { format } = context.printer;
  if (format === 'json' || format === 'yaml') return context.printer.value(graph);
  const items = graph.nodes.map(toRow);
  await printPages(context, async () => ({ items }), shape, { all: true });
  if (graph.groupCount > items.length) context.notice(`Showing ${items.length} of ${graph.groupCount} groups.`);
}

function toRow({ groupId, groupName, roles, inheritedRoles, dependentCount, members }: GraphNode): TableRow {
  const { user, business, businessUser, service } = members;
  return {
    groupName,
    roles,
    inheritedRoles,
    dependents: dependentCount,
    members: user + business + businessUser + service,
    groupId,
    users: user,
    businesses: business,
    businessUsers: businessUser,
    services: service,
  };
}
