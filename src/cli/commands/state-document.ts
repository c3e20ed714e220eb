/** `iam state export` and `import`: the whole state as one document. */
import type { Command } from 'commander';
import { callControl, controlPlan, whereFrom } from '../control.ts';
import { addLeaf, runs } from '../leaf.ts';
import type { Surroundings } from '../runtime/context.ts';
import { jsonText } from '../runtime/control-characters.ts';
import { usageError } from '../runtime/failures.ts';
import { replaceFile } from '../runtime/files.ts';
import { readText } from '../runtime/input.ts';
import { confirmed, printAnswer, printPlan } from '../send.ts';

const exportPath = '/_iam/state/export';
const importPath = '/_iam/state/import';

/** Adds `state export`. */
export function addStateExport(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'export', {
    title: 'Prints the whole state as one JSON document',
    description: `It holds the keys of the server, and secrets as hashes: keep it safe. A file is made for its owner alone, and takes the place of one that is there. ${whereFrom}`,
    effect: 'read',
    examples: [
      { title: 'Into a file, for an import', command: '-f state.json' },
      { title: 'As a seed, for servers to start with', command: '--seed -f seed.json' },
    ],
  })
    .option('--seed', 'a seed document: entities only, with hashes in the place of secrets')
    .option('-f, --file <file>', 'where to put it; standard output where not given');
  runs(command, surroundings, async (context, _, { seed, file }) => {
    const query = { format: seed === true ? 'seed' : 'state' };
    const { body } = await callControl(context, 'GET', exportPath, { query });
    const text = seed === true ? jsonText(body, 2) : stateText(body as StateDocument);
    if (file === undefined) return context.printer.lines([text]);
    await replaceFile(String(file), `${text}\n`).catch((error: NodeJS.ErrnoException) => {
      throw usageError(`${file} can't be written: ${error.code ?? error.message}.`);
    });
    context.notice(`The ${query.format} is in ${file}.`);
  });
}

/** Adds `state import`. */
export function addStateImport(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'import', {
    title: 'Puts an exported state in the place of what is there',
    description: `All of it or nothing. Credentials are then those of the document. ${whereFrom}`,
    effect: 'destructive',
    idempotent: true,
    examples: [
      { title: 'Into a new server', command: 'state.json' },
      { title: 'Over whatever is there', command: 'state.json --force --yes' },
    ],
  })
    .argument('<file>', 'What an export gave; - is standard input')
    .option('--force', 'even where there is more than the first start made');
  runs(command, surroundings, async (context, [file], options) => {
    const query = options.force === true ? { force: true } : {};
    const body = await readText(String(file), context.io);
    if (body.trim() === '') throw usageError(`${file === '-' ? 'Standard input' : file} is empty.`);
    // The document is long, and whoever has the file can read it there.
    if (options.dryRun === true) return printPlan(context, controlPlan(context, 'POST', importPath, query));
    await confirmed(context, 'Put it in the place of everything that is there?', options, file === '-');
    await callControl(context, 'POST', importPath, { query, body });
    await printAnswer(context, undefined, 'Imported.');
  });
}

interface StateDocument {
  readonly formatVersion: number;
  readonly tables: Readonly<Record<string, readonly unknown[]>>;
}

/** As the server gives it: one row a line. */
function stateText({ formatVersion, tables }: StateDocument): string {
  const parts = Object.entries(tables).map(([name, rows]) => `${jsonText(name)}:[${linesOf(rows)}]`);
  return `{"formatVersion":${formatVersion},"tables":{\n${parts.join(',\n')}\n}}`;
}

function linesOf(rows: readonly unknown[]): string {
  return rows.length === 0 ? '' : `\n${rows.map((row) => jsonText(row)).join(',\n')}\n`;
}
