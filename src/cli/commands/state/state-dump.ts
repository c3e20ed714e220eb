/** `iam state export` and `iam state import`: dumps and restores the whole state as one document. */
import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { jsonText } from '../../io/control-characters.ts';
import { readText } from '../../io/input.ts';
import { replacePrivateFile } from '../../io/private-files.ts';
import { callControlPlane, controlPlaneNote, controlRequestPreview } from '../../request/control-plane.ts';
import { printRequestPreview } from '../../request/preview.ts';
import { printResponse } from '../../request/send.ts';
import { confirmReplacement, durableStoreNote } from './confirm-replacement.ts';

const exportPath = '/_iam/state/export';
const importPath = '/_iam/state/import';

export function addStateExport(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'export', {
    title: 'Export the whole state as one JSON document',
    description: `The document contains the keys of the server and hashes of secrets: store it securely. A file is created with owner-only permissions; an existing one is replaced only with --force. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'Export to a file', command: '-f state.json' },
      { title: 'Export a seed document for new servers', command: '--seed -f seed.json' },
    ],
  })
    .option('--seed', 'export a seed document: only entities, with hashes instead of secrets')
    .option('-f, --file <file>', 'output file, default standard output')
    .option('--force', 'replace an existing file');
  setAction(command, runtime, async (context, _, { seed, file, force }) => {
    if (file !== undefined && force !== true) assertNoFile(String(file));
    const query = { format: seed === true ? 'seed' : 'state' };
    const { body } = await callControlPlane(context, 'GET', exportPath, { query });
    const text = seed === true ? jsonText(body, 2) : formatStoreDump(body as StoreDump);
    if (file === undefined) return context.printer.lines([text]);
    await replacePrivateFile(String(file), `${text}\n`);
    context.notice(`Wrote the ${query.format} to ${file}.`);
  });
}

export function addStateImport(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'import', {
    title: 'Replace the whole state with an exported document',
    description: `The import is atomic. Afterwards the credentials of the document are valid. ${durableStoreNote} ${controlPlaneNote}`,
    effect: 'destructive',
    idempotent: true,
    examples: [
      { title: 'Import into a new server', command: 'state.json' },
      { title: 'Replace existing data', command: 'state.json --force --yes' },
    ],
  })
    .argument('<file>', 'Exported document, - for standard input')
    .option('--force', 'replace existing data, not only that of the first start');
  setAction(command, runtime, async (context, [file], options) => {
    const query = options.force === true ? { force: true } : {};
    const body = await readText(String(file), context.io);
    if (body.trim() === '') throw usageError(`${file === '-' ? 'Standard input' : file} is empty.`);
    // The preview omits the document, which is long and already in the file.
    if (options.dryRun === true)
      return printRequestPreview(context, controlRequestPreview(context, 'POST', importPath, query));
    await confirmReplacement(context, 'Replace the whole state of the server?', options, { stdinIsData: file === '-' });
    await callControlPlane(context, 'POST', importPath, { query, body });
    await printResponse(context, undefined, 'Imported.');
  });
}

/** @throws CliError (exit 2) if the file exists: it can be the only copy of keys */
function assertNoFile(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile())
    throw usageError(
      `Cannot create ${file}: the file already exists.`,
      'Name another file, or replace it with --force.',
    );
}

interface StoreDump {
  readonly formatVersion: number;
  readonly tables: Readonly<Record<string, readonly unknown[]>>;
}

/** Formats a dump as the server does: one row per line. */
function formatStoreDump({ formatVersion, tables }: StoreDump): string {
  const parts = Object.entries(tables).map(([name, rows]) => `${jsonText(name)}:[${formatRows(rows)}]`);
  return `{"formatVersion":${formatVersion},"tables":{\n${parts.join(',\n')}\n}}`;
}

function formatRows(rows: readonly unknown[]): string {
  return rows.length === 0 ? '' : `\n${rows.map((row) => jsonText(row)).join(',\n')}\n`;
}
