/** Secrets created by an apply: written to a private file immediately, or printed once at the end. */
import { rm } from 'node:fs/promises';
import type { Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { escapeControls, jsonText } from '../io/control-characters.ts';
import { uncreatableFileError, unwritableFileError } from '../io/file-errors.ts';
import { openPrivateFile } from '../io/private-files.ts';
import type { NewSecret } from './execution.ts';
import type { AnyChange } from './model/changes.ts';
import { findResource } from './resources/index.ts';

export interface SecretOutput {
  write(secret: NewSecret): Promise<void>;
  /** Secrets that must still be printed. */
  readonly unsaved: readonly NewSecret[];
  /** Prints the location of the secrets; deletes an empty file. */
  close(): Promise<void>;
}

/** Creates the file before any request: never create a secret that cannot be stored. */
export async function openSecretOutput(
  context: Context,
  changes: readonly AnyChange[],
  file: string | undefined,
): Promise<SecretOutput> {
  const unsaved: NewSecret[] = [];
  const makesSecrets = changes.some(
    ({ kind, action }) => action === 'create' && findResource(kind)?.describeSecretOwner !== undefined,
  );
  if (file === undefined || !makesSecrets) {
    if (makesSecrets && ['name', 'csv'].includes(context.printer.format))
      throw usageError(
        `-o ${context.printer.format} cannot print the secrets.`,
        'Add --secret-output FILE to store them.',
      );
    return { write: async (secret) => void unsaved.push(secret), unsaved, close: async () => undefined };
  }
  const handle = await openPrivateFile(file).catch((error: unknown) => {
    throw uncreatableFileError(file, error);
  });
  let count = 0;
  return {
    write: async (secret) => {
      try {
        await handle.appendFile(`${jsonText(secret)}\n`);
        count += 1;
      } catch (error) {
        // Print the secret instead, because it cannot be read again.
        unsaved.push(secret);
        throw unwritableFileError(file, error);
      }
    },
    unsaved,
    close: async () => {
      await handle.close();
      if (count === 0) await rm(file, { force: true });
      else
        context.notice(
          `${count === 1 ? 'The new secret is' : `${count} new secrets are`} in ${file}; they will not be shown again.`,
        );
    },
  };
}

/** Formats a secret as a line; a table would truncate it. */
export function formatSecret(secret: NewSecret): string {
  const owner = findResource(secret.kind)?.describeSecretOwner?.(secret) ?? secret.kind;
  return `${escapeControls(owner)}: ${secret.clientSecret ?? secret.apiKey}`;
}
