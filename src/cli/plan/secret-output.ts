/** Secrets created by an apply: written to a private file immediately, or printed once at the end. */
import { rm } from 'node:fs/promises';
import type { Context } from '../context.ts';
import { type CliError, usageError } from '../errors.ts';
import { escapeControls, jsonText } from '../io/control-characters.ts';
import { uncreatableFileError, unwritableFileError } from '../io/file-errors.ts';
import { outputError } from '../io/output-failure.ts';
import { openPrivateFile } from '../io/private-files.ts';
import { notShownAgain } from '../request/response-secrets.ts';
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
          `${count === 1 ? 'The new secret is' : `${count} new secrets are`} in ${file}. ${notShownAgain(count)}`,
        );
    },
  };
}

/** Names the owners of secrets that could not be printed. */
export function lostSecretsError(failure: Error, secrets: readonly NewSecret[]): CliError {
  const owners = secrets.map(describeOwner).join(', ');
  const done = `${owners}: created, and the ${secrets.length === 1 ? 'secret is' : 'secrets are'} lost.`;
  const hint =
    'Revoke them with `iam clients delete` and `iam api-key delete`, and apply again with --secret-output FILE.';
  return outputError(failure, done, hint);
}

/** Formats a secret as a line; a table would truncate it. */
export function formatSecret(secret: NewSecret): string {
  return `${escapeControls(describeOwner(secret))}: ${secret.clientSecret ?? secret.apiKey}`;
}

function describeOwner(secret: NewSecret): string {
  return findResource(secret.kind)?.describeSecretOwner?.(secret) ?? secret.kind;
}
