/** `iam state diff`: compares two states. */
import type { Command } from 'commander';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { QuietExit } from '../../errors.ts';
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
    const lines = (body as Difference).tables.flatMap(formatDifference);
    if (!context.printer.isForPeople) await context.printer.value(body);
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

function formatDifference({ table, added, removed, changed }: Difference['tables'][number]): string[] {
  return [
    ...added.map((key) => `+ ${table} ${key}`),
    ...removed.map((key) => `- ${table} ${key}`),
    ...changed.map(({ key, fields }) => `~ ${table} ${key}: ${fields.map(({ field }) => field).join(', ')}`),
  ];
}
