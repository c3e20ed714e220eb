/** The input file of a run. It is read twice: to validate the rows and to send them. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { unreadableFileError } from '../io/file-errors.ts';
import type { Io } from '../io/io.ts';

export interface RowSource {
  /** Command-line argument. */
  readonly argument: string;
  /** Readable path. */
  readonly file: string;
  readonly digest: string;
}

/** Runs `work` on the file. Standard input is copied to a private temporary file, which is deleted afterwards. */
export async function withRowSource<Result>(
  { stdin, signal }: Pick<Io, 'stdin' | 'signal'>,
  argument: string,
  work: (source: RowSource) => Promise<Result>,
): Promise<Result> {
  if (argument !== '-') return work({ argument, file: argument, digest: await computeDigest(argument) });
  const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-bulk-'));
  try {
    const file = path.join(folder, 'rows');
    await pipeline(stdin, createWriteStream(file, { mode: 0o600 }), { signal });
    return await work({ argument, file, digest: await computeDigest(file) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function computeDigest(file: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  } catch (error) {
    throw unreadableFileError(file, error);
  }
  return hash.digest('hex');
}
