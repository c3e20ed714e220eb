/** The files and the summary of an import. */
import type { ImportCount, ImportResult } from '../../../server/seed/convert/converted-seed.ts';
import type { CommandOptions, Context } from '../../context.ts';
import { CliError, usageError } from '../../errors.ts';
import { jsonText } from '../../io/control-characters.ts';
import { unwritableFileError } from '../../io/file-errors.ts';
import { createPrivateFile } from '../../io/private-files.ts';

export interface ImportOutputs {
  readonly seed: string;
  readonly report: string;
  readonly secrets?: string | undefined;
}

/** @throws CliError without a file for the seed, or for one file with two contents */
export function findOutputs({ to, report, secretOutput }: CommandOptions): ImportOutputs {
  if (typeof to !== 'string') throw usageError('--to is missing.', 'Name a new file for the seed.');
  const outputs = {
    seed: to,
    report: typeof report === 'string' ? report : `${to.replace(/\.(json|ya?ml)$/i, '')}.report.jsonl`,
    secrets: typeof secretOutput === 'string' ? secretOutput : undefined,
  };
  const files = Object.values(outputs).filter((file) => file !== undefined);
  if (new Set(files).size < files.length)
    throw usageError('The seed, the report and the secrets need a file each.', 'Name different files.');
  return outputs;
}

/** Writes the files, and prints the counts. @throws CliError: 2 if secrets have no file, 8 if something was lost */
export async function writeImport(context: Context, outputs: ImportOutputs, result: ImportResult): Promise<void> {
  const { seed, notes, secrets, counts } = result;
  if (secrets.length > 0 && outputs.secrets === undefined)
    throw usageError(
      `${secrets.length === 1 ? '1 client gets a new secret' : `${secrets.length} clients get new secrets`}, as the export does not contain the former one. Nothing was written.`,
      'Add --secret-output FILE to store them.',
    );
  if (outputs.secrets !== undefined && secrets.length > 0) await writeNewFile(outputs.secrets, toLines(secrets));
  await writeNewFile(outputs.seed, `${JSON.stringify(seed, undefined, 2)}\n`);
  await writeNewFile(outputs.report, toLines(notes));
  await context.printer.list(onePage(counts), { main: columns, text: ['kind'], required: columns });
  context.notice(`The seed is in ${outputs.seed}, the reasons are in ${outputs.report}.`);
  if (outputs.secrets !== undefined && secrets.length > 0)
    context.notice(`The new secrets of clients (${secrets.length}) are in ${outputs.secrets}.`);
  const lost = notes.filter((note) => note.lost);
  if (lost.length > 0)
    throw new CliError(`Something that logs in or grants roles was lost: ${describeKinds(lost)}.`, {
      code: 'IMPORT_LOSSES',
      exitCode: 8,
      hint: `See the lines with "lost":true in ${outputs.report}. The seed contains everything else.`,
    });
}

const columns = ['kind', 'arrived', 'changed', 'leftOut'];

async function* onePage(counts: readonly ImportCount[]) {
  yield counts;
}

function toLines(entries: readonly object[]): string {
  return entries.map((entry) => `${jsonText(entry)}\n`).join('');
}

function describeKinds(notes: ImportResult['notes']): string {
  const names = new Map<string, Set<string>>();
  for (const { kind, name } of notes) names.set(kind, (names.get(kind) ?? new Set()).add(name));
  return [...names].map(([kind, { size }]) => `${kind} (${size})`).join(', ');
}

async function writeNewFile(file: string, text: string): Promise<void> {
  try {
    await createPrivateFile(file, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw fileExistsError(file);
    throw unwritableFileError(file, error);
  }
}

export function fileExistsError(file: string): CliError {
  return usageError(`${file} exists already.`, 'Name a new file, or delete this one.');
}
