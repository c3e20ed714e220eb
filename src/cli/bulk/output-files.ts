/** Where a run writes: its ledger, the rows that were refused, and secrets. All are private files. */
import { rm, stat } from 'node:fs/promises';
import { jsonText } from '../runtime/control-characters.ts';
import { AppendFile } from './append-file.ts';
import type { BulkDeps } from './deps.ts';
import type { RowOutputs } from './execute-row.ts';
import { ResumeLog, type ResumeLogContent, type ResumeLogHeader } from './resume-log.ts';

export interface OutputFileNames {
  readonly resumeLog: string;
  readonly rejects: string;
  readonly secretOutput: string | undefined;
}

export interface OutputFiles extends RowOutputs {
  close(): Promise<void>;
}

export interface OutputFileContent {
  readonly header: ResumeLogHeader;
  /** What an earlier run left; its files are gone on with. */
  readonly before: ResumeLogContent | undefined;
  /** First line of the reject file. */
  readonly rejectHeader: string | undefined;
}

/** Opens the files; a first run overwrites none that is there. What can't be opened leaves everything as it was. */
export async function openOutputFiles(
  deps: BulkDeps,
  names: OutputFileNames,
  content: OutputFileContent,
): Promise<OutputFiles> {
  const { before, rejectHeader } = content;
  const openFiles: { close(): Promise<void> }[] = [];
  const openFile = async (file: string, flags: 'a' | 'ax') => {
    const appendFile = await AppendFile.open(file, flags).catch((error: NodeJS.ErrnoException) => {
      throw deps.usage(`${file} can't be made: ${error.code === 'EEXIST' ? 'it is there already' : error.message}.`);
    });
    openFiles.push(appendFile);
    return appendFile;
  };
  const close = async () => {
    for (const file of openFiles) await file.close();
  };
  const isContinued = before?.header.rejects === names.rejects;
  if (!isContinued) await assertAbsent(deps.usage, names.rejects);
  // A secret that can't be kept must not be made.
  const secrets =
    names.secretOutput === undefined ? undefined : await openFile(names.secretOutput, before ? 'a' : 'ax');
  try {
    if (before && !((await secrets?.isPrivate()) ?? true)) throw deps.usage(`Others can read ${names.secretOutput}.`);
    // What it holds is sent again, and comes into it again where it is refused again.
    if (isContinued) await rm(names.rejects, { force: true });
    const resumeLog = await ResumeLog.open(names.resumeLog, content.header, before);
    openFiles.push(resumeLog);
    const rejects = once(async () => {
      const appendFile = await openFile(names.rejects, 'ax');
      if (rejectHeader !== undefined) await appendFile.append(`${rejectHeader}\n`);
      return appendFile;
    });
    return {
      log: (entry) => resumeLog.append(entry),
      reject: async (text) => (await rejects()).append(`${text}\n`),
      writeSecrets: async (secretFields) => secrets?.append(`${jsonText(secretFields)}\n`),
      close,
    };
  } catch (error) {
    await close();
    if (!before && names.secretOutput !== undefined) await rm(names.secretOutput, { force: true });
    throw error;
  }
}

/** Found out before the first row, not at the first that is refused. */
async function assertAbsent(usage: BulkDeps['usage'], file: string): Promise<void> {
  if (await stat(file).catch(() => undefined)) throw usage(`${file} can't be made: it is there already.`);
}

function once<Value>(openFile: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => (value ??= openFile());
}
