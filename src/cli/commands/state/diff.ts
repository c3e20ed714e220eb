/** `iam state diff`: compares two states. */
import type { Command } from 'commander';
import { describeFields, type FieldDifference } from '../../../contract/changes/field-lines.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, Context } from '../../context.ts';
import { QuietExit } from '../../errors.ts';
import { formatFieldLine, type NameOfReference } from '../../output/field-lines.ts';
import { formatNamedId } from '../../output/name-columns.ts';
import { callControlPlane, controlPlaneNote } from '../../request/control-plane.ts';

export function addStateDiff(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'diff', {
    title: 'Compare two states',
    description: `Lists the objects that differ, with the fields that do, and counts what only the service needs. Exits with 0 if there is no difference, otherwise with 1. Each state is a snapshot name, or now, seed or empty. For secrets only the fact of a change is shown. JSON contains the rows of all tables. ${controlPlaneNote}`,
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
    const states = { from: from as string | undefined, to: to as string | undefined };
    const hasDifferences = context.printer.isForPeople
      ? await printObjects(context, states)
      : await printTables(context, states);
    if (hasDifferences) throw new QuietExit(1);
  });
}

type States = Readonly<Record<'from' | 'to', string | undefined>>;

async function printTables(context: Context, query: States): Promise<boolean> {
  const { body } = await callControlPlane(context, 'GET', '/_iam/state/diff', { query });
  const { length } = (body as { readonly tables: readonly unknown[] }).tables;
  await context.printer.value(body);
  return length > 0;
}

interface ObjectDiff {
  readonly objects: readonly {
    readonly entity: string;
    readonly id: string;
    readonly name?: string;
    readonly action: string;
    readonly fields: readonly FieldDifference[];
  }[];
  readonly internals: readonly { readonly table: string; readonly [action: string]: number | string }[];
  readonly names: readonly { readonly kind: string; readonly id: string; readonly name: string }[];
  readonly next?: string;
}

/** The largest page that the route returns. */
const pageSize = 1000;

async function printObjects(context: Context, states: States): Promise<boolean> {
  let after: string | undefined;
  let hasDifferences = false;
  do {
    const query = { ...states, limit: String(pageSize), after };
    const { body } = await callControlPlane(context, 'GET', '/_iam/state/diff/objects', { query });
    const { objects, internals, names, next } = body as ObjectDiff;
    const known = new Map(names.map(({ kind, id, name }) => [`${kind} ${id}`, name]));
    const nameOf: NameOfReference = (kind, id) => known.get(`${kind} ${id}`);
    if (objects.length > 0) context.printer.lines(objects.flatMap((object) => formatObject(object, nameOf)));
    hasDifferences ||= objects.length + internals.length > 0;
    after = next;
    if (next === undefined && internals.length > 0) context.notice(formatInternals(internals));
  } while (after !== undefined);
  if (!hasDifferences) context.notice('No differences found.');
  return hasDifferences;
}

const signs: Readonly<Record<string, string>> = { created: '+', changed: '~', deleted: '-' };

/** Fields are indented below their object; those of a deleted object are not listed. */
function formatObject(
  { entity, id, name, action, fields }: ObjectDiff['objects'][number],
  nameOf: NameOfReference,
): string[] {
  const head = `${signs[action] ?? action} ${entity} ${formatNamedId(id, name)}`;
  if (action === 'deleted') return [head];
  const { changes, internals } = describeFields(entity, fields);
  const folded = action === 'created' || internals.length === 0 ? [] : [`    (${internals.length} internal)`];
  return [head, ...changes.map((change) => `    ${formatFieldLine(change, nameOf)}`), ...folded];
}

/** Counts the rows that differ: `Internal: 3 rows of refreshTokens, 1 of codes.` */
function formatInternals(internals: ObjectDiff['internals']): string {
  const counts = internals.map(({ table, ...actions }) => {
    const count = Object.values(actions).reduce<number>((sum, one) => sum + Number(one), 0);
    return `${count} of ${table}`;
  });
  return `Not listed, as only the service needs them: rows ${counts.join(', ')}.`;
}
