/** Seeds as the library accepts them: documents, and paths of files. */
import { formatPath } from '../contract/errors.ts';
import type { AppContext } from '../server/app-context.ts';
import { internalFlow } from '../server/limits/hash-queue.ts';
import { SeedError } from '../server/seed/error.ts';
import { toSeedIssues } from '../server/seed/issues.ts';
import { readSeedFile, withSeedPlaces } from '../server/seed/read-file.ts';
import type { SeedDocument } from '../server/seed/schema.ts';
import type { SeedInput, SeedSummary } from './library-types.ts';

/** @throws SeedError if the file can't be read or the document is not valid. */
export async function readSeedInput(seed: string | SeedInput): Promise<SeedDocument> {
  if (typeof seed === 'string') return readSeedFile(seed);
  const { SeedDocument: schema } = await import('../server/seed/schema.ts');
  const result = await schema.safeParseAsync(seed, { reportInput: true });
  if (result.success) return result.data;
  const issues = result.error.issues.flatMap(toSeedIssues);
  throw new SeedError(
    issues.map(({ path, message }) => `${formatPath(path) || 'the seed'}: ${message}`).join('\n'),
    issues,
  );
}

/** The file of a seed that is none itself. */
export function fileOf(seed: string | SeedInput | undefined): string | undefined {
  return typeof seed === 'string' ? seed : undefined;
}

/** Applies a seed to a running server, like POST /_iam/seed. @throws SeedError; nothing was applied then. */
export async function applySeedInput(context: AppContext, seed: string | SeedInput): Promise<SeedSummary> {
  const hash = (password: string) => context.passwords.hash(password, internalFlow);
  const document = await readSeedInput(seed);
  const { applySeedToServer } = await import('../server/seed/apply-to-server.ts');
  return withSeedPlaces(fileOf(seed), () => applySeedToServer(document, { ...context, hash }));
}
