/** Reads a seed file. */
import { statSync } from 'node:fs';
import { maxTextBytes, readTextFile, TextFileError } from '../../lib/text-file.ts';
import { describeTextError } from '../config/read-secret-file.ts';
import { SeedError } from './error.ts';
import type { SeedDocument } from './schema.ts';

/** Reads and validates a seed file (YAML or JSON). @throws SeedError if it cannot be read or is invalid. */
export async function readSeedFile(file: string): Promise<SeedDocument> {
  const text = await readTextFile(file, maxTextBytes).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof TextFileError) throw new SeedError(`can't read the seed: ${describeTextError(file, error)}`);
    const reason = error.code === 'ENOENT' ? 'file not found' : error.message;
    throw new SeedError(`can't read the seed: ${file}: ${reason}`);
  });
  // Load the YAML parser on demand: it is large, and most starts have no seed.
  const { parseSeed } = await import('./parse.ts');
  return parseSeed(text, file);
}

/** Runs `apply`. The problems of a seed that cannot be applied get their places in the file, if it can be read again. */
export async function withSeedPlaces<Result>(file: string | undefined, apply: () => Promise<Result>): Promise<Result> {
  try {
    return await apply();
  } catch (error) {
    if (!(error instanceof SeedError) || error.issues.length === 0 || file === undefined) throw error;
    // A pipe has no second reading.
    const text = statSync(file, { throwIfNoEntry: false })?.isFile()
      ? await readTextFile(file, maxTextBytes).catch(() => undefined)
      : undefined;
    if (text === undefined) throw error;
    const { locateIssues } = await import('./parse.ts');
    throw new SeedError(locateIssues(error.issues, text, file), error.issues);
  }
}
