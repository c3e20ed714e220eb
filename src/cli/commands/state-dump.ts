/** `iam state export` and `import`: the whole state as one document. */
import type { Command } from 'commander';
import { addCommand, setAction } from '../command.ts';
import { callControlPlane, controlPlaneNote, controlRequestPreview } from '../control-plane.ts';
import type { CliRuntime } from '../runtime/context.ts';
import { jsonText } from '../runtime/control-characters.ts';
import { usageError } from '../runtime/errors.ts';
import { readText } from '../runtime/input.ts';
import { replacePrivateFile } from '../runtime/private-files.ts';
import { assertConfirmed, printRequestPreview, printResponse } from '../send.ts';

const exportPath = '/_iam/state/export';
const importPath = '/_iam/state/import';

/** Adds `state export`. */
export function addStateExport(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'export', {
    title: 'Prints the whole state as one JSON document',
    description: `It holds the keys of the server, and secrets as hashes: keep it safe. A file is made for its owner alone, and takes the place of one that is there. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'Into a file, for an import', command: '-f state.json' },
      { title: 'As a seed, for servers to start with', command: '--seed -f seed.json' },
    ],
  })
    .option('--seed', 'a seed document: entities only, with hashes in the place of secrets')
    .option('-f, --file <file>', 'where to put it; standard output where not given');
  setAction(command, runtime, async (context, _, { seed, file }) => {
    const query = { format: seed === true ? 'seed' : 'state' };
    const { body } = await callControlPlane(context, 'GET', exportPath, { query });
    const text = seed === true ? jsonText(body, 2) : formatStoreDump(body as StoreDump);
    if (file === undefined) return context.printer.lines([text]);
    await replacePrivateFile(String(file), `${text}\n`).catch((error: NodeJS.ErrnoException) => {
      throw usageError(`${file} can't be written: ${error.code ?? error.message}.`);
    });
    context.notice(`The ${query.format} is in ${file}.`);
  });
}

/** Adds `state import`. */
export function addStateImport(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'import', {
    title: 'Puts an exported state in the place of what is there',
    description: `All of it or nothing. Credentials are then those of the document. ${controlPlaneNote}`,
    effect: 'destructive',
    idempotent: true,
    examples: [
      { title: 'Into a new server', command: 'state.json' },
      { title: 'Over whatever is there', command: 'state.json --force --yes' },
    ],
  })
    .argument('<file>', 'What an export gave; - is standard input')
    .option('--force', 'even where there is more than the first start made');
  setAction(command, runtime, async (context, [file], options) => {
    const query = options.force === true ? { force: true } : {};
    const body = await readText(String(file), context.io);
    if (body.trim() === '') throw usageError(`${file === '-' ? 'Standard input' : file} is empty.`);
    // The document is long, and whoever has the file can read it there.
    if (options.dryRun === true)
      return printRequestPreview(context, controlRequestPreview(context, 'POST', importPath, query));
    await assertConfirmed(context, 'Put it in the place of everything that is there?', options, file === '-');
    await callControlPlane(context, 'POST', importPath, { query, body });
    await printResponse(context, undefined, 'Imported.');
  });
}

interface StoreDump {
  readonly formatVersion: number;
  readonly tables: Readonly<Record<string, readonly unknown[]>>;
}

/** As the server gives it: one row a line. */
function formatStoreDump({ formatVersion, tables }: StoreDump): string {
  const parts = Object.entries(tables).map(([name, rows]) => `${jsonText(name)}:[${formatRows(rows)}]`);
  return `{"formatVersion":${formatVersion},"tables":{\n${parts.join(',\n')}\n}}`;
}

function formatRows(rows: readonly unknown[]): string {
  return rows.length === 0 ? '' : `\n${rows.map((row) => jsonText(row)).join(',\n')}\n`;
}
