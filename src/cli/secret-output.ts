/** Secrets in answers: shown this once, or put into a file that only its owner reads. */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import type { ManifestOperation } from '../contract/manifest-types.ts';
import type { Context } from './runtime/context.ts';
import { usageError } from './runtime/errors.ts';
import { createPrivateFile } from './runtime/private-files.ts';
import { splitSecrets } from './runtime/redact.ts';
import { toWords } from './runtime/table.ts';

type Response = ManifestOperation['response'];

/**
 * Runs a call that answers with a secret. The file is made before the call: a secret that can't be kept must not be made.
 * Gives what is to be printed. With `again` the call may find that it was made before: then the file may be there too,
 * and stays as it is.
 */
export async function withSecretOutput(
  context: Context,
  response: Response,
  file: string | undefined,
  call: () => Promise<unknown>,
  mayExist = false,
): Promise<unknown> {
  if (file === undefined) {
    if (context.printer.format === 'name')
      throw usageError('-o name would drop the secret.', 'Add --secret-output FILE to keep it.');
    return call();
  }
  // A secret that comes after all, beside one from before, must lose neither.
  const target = mayExist && existsSync(file) ? `${file}.new` : file;
  await createPrivateFile(target, '').catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${target} can't be made: ${error.code === 'EEXIST' ? 'it is there already' : error.message}.`);
  });
  return callWithSecretFile(context, response, target, call);
}

async function callWithSecretFile(
  context: Context,
  response: Response,
  file: string,
  call: () => Promise<unknown>,
): Promise<unknown> {
  let body: unknown;
  try {
    body = await call();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
  const { open, secrets } = splitSecrets(response, body);
  if (Object.keys(secrets).length === 0) {
    await rm(file, { force: true });
    return body;
  }
  await writeFile(file, `${Object.values(secrets).join('\n')}\n`);
  context.notice(
    `The ${Object.keys(secrets).map(toWords).join(' and the ')} is in ${file}; it will not be shown again.`,
  );
  return open;
}

/** Says that the secrets of an answer are not shown again. */
export function noticeSecretShownOnce(context: Context, response: Response, body: unknown): void {
  const names = Object.keys(splitSecrets(response, body).secrets);
  if (names.length > 0)
    context.notice(`Keep the ${names.map(toWords).join(' and the ')} now: it will not be shown again.`);
}
