/** Secrets in responses: printed once, or written to a file with owner-only access. */
import { existsSync } from 'node:fs';
import { type FileHandle, rm } from 'node:fs/promises';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import type { Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { splitSecrets } from '../http/redact.ts';
import { uncreatableFileError, unwritableFileError } from '../io/file-errors.ts';
import { openPrivateFile } from '../io/private-files.ts';
import { toWords } from '../output/table.ts';

type Response = ManifestOperation['response'];

/** The response of a route of the control plane, as an operation declares its own: these fields are secrets. */
export function declareSecrets(...names: readonly string[]): Response {
  const secret = { type: 'string', sensitive: 'secret' } as const;
  const properties = Object.fromEntries(names.map((name) => [name, secret]));
  return { status: 200, page: false, secret: true, entity: false, schema: { type: 'object', properties } };
}

/**
 * Runs a request whose response contains a secret. Creates the file first: a secret that cannot be stored must not be issued.
 * Returns the value to print. With `mayExist` the entity and the file may already exist;
 * an existing file is not changed.
 */
export async function withSecretOutput(
  context: Context,
  response: Response,
  file: string | undefined,
  request: () => Promise<unknown>,
  mayExist = false,
): Promise<unknown> {
  if (file === undefined) {
    if (context.printer.format === 'name')
      throw usageError('-o name does not print the secret.', 'Add --secret-output FILE to store it.');

    return request();
  }
  // A new secret must not overwrite an existing one.
  const target = mayExist && existsSync(file) ? `${file}.new` : file;
  const handle = await openPrivateFile(target).catch((error: unknown) => {
    throw uncreatableFileError(target, error);
  });
  try {
    return await callWithSecretFile(context, response, { file: target, handle }, request);
  } finally {
    await handle.close();
  }
}

interface SecretFile {
  readonly file: string;
  readonly handle: FileHandle;
}

async function callWithSecretFile(
  context: Context,
  response: Response,
  { file, handle }: SecretFile,
  request: () => Promise<unknown>,
): Promise<unknown> {
  let body: unknown;
  try {
    body = await request();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
  const { open, secrets } = splitSecrets(response, body);
  if (Object.keys(secrets).length === 0) {
    await rm(file, { force: true });
    return body;
  }
  try {
    await handle.writeFile(`${Object.values(secrets).join('\n')}\n`);
  } catch (error) {
    context.notice(`${String((unwritableFileError(file, error) as Error).message)} The secret is printed instead.`);
    return body;
  }
  const names = Object.keys(secrets).map(toWords).join(' and the ');
  const count = Object.keys(secrets).length;
  context.notice(`The ${names} ${count === 1 ? 'was' : 'were'} written to ${file}. ${notShownAgain(count)}`);
  return open;
}

/** Prints a notice that the secrets of a response are not shown again. */
export function noticeSecretShownOnce(context: Context, response: Response, body: unknown): void {
  const names = Object.keys(splitSecrets(response, body).secrets);
  if (names.length > 0)
    context.notice(`Copy the ${names.map(toWords).join(' and the ')} now. ${notShownAgain(names.length)}`);
}

/** A sentence about secrets that were shown or stored. */
export function notShownAgain(count: number): string {
  return `${count === 1 ? 'It is' : 'They are'} not shown again.`;
}
