/** Reads a seed file. */
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
