/** `iam state seed`: applies a seed to a running server. */
import type { Command } from 'commander';
import { addCommand, addConfirmOptions, setAction } from '../../command.ts';
import type { CliRuntime, Context } from '../../context.ts';
import { readObjectText } from '../../io/input.ts';
import { withPlaces } from '../../output/text-places.ts';
import { callControlPlane, controlPlaneNote, controlRequestPreview } from '../../request/control-plane.ts';
import { printRequestPreview } from '../../request/preview.ts';
import { printResponse } from '../../request/send.ts';
import { confirmLastingChange, durableStoreNote } from './confirm-replacement.ts';

const path = '/_iam/seed';

export function addStateSeed(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'seed', {
    title: 'Apply a seed to the running server',
    description: `Creates or updates the entries of the document in one transaction, and leaves everything else alone. Prints the number of created, updated and unchanged entries; applied again, it changes nothing. Of an invalid document nothing is applied, and each error is printed with its path and its place in the file. A reset still returns to the seed of the server. ${durableStoreNote} ${controlPlaneNote}`,
    effect: 'write',
    idempotent: true,
    examples: [
      { title: 'Apply a seed file', command: 'seed.yaml' },
      { title: 'Apply a seed from a pipe, and print the counts for a script', command: '- -o json' },
    ],
  }).argument('<file>', 'Seed document in JSON or YAML, - for standard input');
  addConfirmOptions(command);
  setAction(command, runtime, async (context, [file], options) => {
    const read = await readObjectText(String(file), context.io);
    const body = read.value;
    if (options.dryRun === true)
      return printRequestPreview(context, { ...controlRequestPreview(context, 'POST', path), body });
    await confirmLastingChange(context, 'Apply the seed?', options, file === '-');
    const { body: counts } = await withPlaces(read, [], () => callControlPlane(context, 'POST', path, { body }));
    await printCounts(context, counts as Counts);
  });
}

type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** A table with a row for each kind; otherwise the response as it is. */
async function printCounts(context: Context, counts: Counts): Promise<void> {
  const kinds = Object.entries(counts);
  const isTable = context.printer.isForPeople || context.printer.format === 'csv';
  if (!isTable || kinds.length === 0) return printResponse(context, counts, 'The seed contains no entries.');
  await context.printer.value(kinds.map(([kind, count]) => ({ kind, ...count })));
}
