/** Output files of a run: resume log, reject file and secrets. All have owner-only permissions. */
import { lstat, rm } from 'node:fs/promises';
import type { FileTrust } from '../../lib/file-trust.ts';
import { usageError } from '../errors.ts';
import { AppendFile } from '../io/append-file.ts';
import { jsonText } from '../io/control-characters.ts';
import { uncreatableFileError } from '../io/file-errors.ts';
import type { RowOutputs } from './execute-row.ts';
import type { RowFile } from './records.ts';
import { openResumeLog, type ResumeLogContent, type ResumeLogEntry, type ResumeLogHeader } from './resume-log.ts';
import { formatMark, isRejectFile } from './run-mark.ts';

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
  /** Resume log of an earlier run, whose files are continued. */
  readonly before: ResumeLogContent | undefined;
  /** What the reject file of a CSV file begins with, so that it is read in the same way. */
  readonly rejectStart: Pick<RowFile, 'separator' | 'header'>;
  readonly trust: FileTrust;
}

/** Opens the files. A first run overwrites no existing file. @throws CliError if a file cannot be created; nothing is left behind */
export async function openOutputFiles(names: OutputFileNames, content: OutputFileContent): Promise<OutputFiles> {
  const { before, rejectStart, header } = content;
  const openFiles: { close(): Promise<void> }[] = [];
  const openFile = async (file: string, flags: 'a' | 'ax') => {
    const appendFile = await AppendFile.open(file, flags).catch((error: unknown) => {
      throw uncreatableFileError(file, error);
    });
    openFiles.push(appendFile);
    return appendFile;
  };
  const close = async () => {
    for (const file of openFiles) await file.close();
  };
  const isContinued = before?.header.rejects === names.rejects;
  if (isContinued) await assertOwn(names.rejects, header.run);
  else await assertAbsent(names.rejects);
  // Open the secret file first: never create a secret that cannot be stored.
  const secrets =
    names.secretOutput === undefined ? undefined : await openFile(names.secretOutput, before ? 'a' : 'ax');
  try {
    if (before && !((await secrets?.isPrivate()) ?? true))
      throw usageError(`${names.secretOutput} is readable by other users or belongs to one.`);
    // Its rows are sent again and are written again if they are rejected again.
    if (isContinued) await rm(names.rejects, { force: true });
    const resumeLog = await openResumeLog(names.resumeLog, content.header, before, content.trust);
    openFiles.push(resumeLog);
    const rejects = once(async () => {
      const appendFile = await openFile(names.rejects, 'ax');
      const start = [rejectStart.separator, formatMark(header.run), rejectStart.header];
      for (const line of start) if (line !== undefined) await appendFile.append(`${line}\n`);
      return appendFile;
    });
    return {
      log: (entry: ResumeLogEntry) => resumeLog.append(`${jsonText(entry)}\n`),
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

/** Checks before the first row that the reject file can be created. */
async function assertAbsent(file: string): Promise<void> {
  if (await lstat(file).catch(() => undefined))
    throw usageError(
      `Cannot create ${file}: the file already exists.`,
      'Name another file with --rejects, or move this one away.',
    );
}

/** Checks before the first row that the file to replace was made by this run. */
async function assertOwn(file: string, run: string): Promise<void> {
  if ((await isRejectFile(file, run)) !== false) return;
  throw usageError(`${file} is no reject file of this run; it stays as it is.`, 'Name another file with --rejects.');
}

function once<Value>(openFile: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => (value ??= openFile());
}
