/** `iam state diff`: compares two states. */
import type { Command } from 'commander';
import type { EntityName } from '../../../contract/entities.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { QuietExit } from '../../errors.ts';
import { describeWithNames, type FindNames, formatNamedId, type NameOf } from '../../output/name-columns.ts';
import { callControlPlane, controlPlaneNote } from '../../request/control-plane.ts';

export function addStateDiff(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'diff', {
    title: 'Compare two states',
    description: `Exits with 0 if there is no difference, otherwise with 1. Each state is a snapshot name, or now, seed or empty. For secrets only the fact of a change is shown. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'Show changes since the first start', command: '' },
      { title: 'Show changes since a snapshot', command: 'before now' },
      { title: 'Compare two snapshots and print JSON', command: 'before after -o json' },
    ],
  })
    .argument('[from]', 'First state, default seed')
    .argument('[to]', 'Second state, default now');
  setAction(command, runtime, async (context, [from, to]) => {
    const query = { from: from as string | undefined, to: to as string | undefined };
    const { body } = await callControlPlane(context, 'GET', '/_iam/state/diff', { query });
    const { tables } = body as Difference;
    const { isForPeople } = context.printer;
    const lines = await describeWithNames(isForPeople ? context.findNames : findNoNames, (nameOf) =>
      tables.flatMap((table) => formatDifference(table, nameOf)),
    );
    if (!isForPeople) await context.printer.value(body);
    else if (lines.length === 0) context.notice('No differences found.');
    else context.printer.lines(lines);
    if (lines.length > 0) throw new QuietExit(1);
  });
}

interface Difference {
  readonly tables: readonly {
    readonly table: string;
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly { readonly key: string; readonly fields: readonly { readonly field: string }[] }[];
  }[];
}

const findNoNames: FindNames = async () => new Map();

/** The entities with names, by their table. */
const entityByTable: Readonly<Record<string, EntityName>> = {
  users: 'user',
  groups: 'group',
  clients: 'client',
  businesses: 'business',
  customers: 'customer',
  corporateGroups: 'corporateGroup',
  apiKeys: 'apiKey',
};

function formatDifference({ table, added, removed, changed }: Difference['tables'][number], nameOf: NameOf): string[] {
  const entity = entityByTable[table];
  const format = (key: string) => (entity === undefined ? key : formatNamedId(key, nameOf(entity, key)));
  return [
    ...added.map((key) => `+ ${table} ${format(key)}`),
    ...removed.map((key) => `- ${table} ${format(key)}`),
    ...changed.map(({ key, fields }) => `~ ${table} ${format(key)}: ${fields.map(({ field }) => field).join(', ')}`),
  ];
}
