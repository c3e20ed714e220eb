/** Secrets that an apply makes: kept in a private file as soon as they are there, or shown once at the end. */
import { appendFile, rm } from 'node:fs/promises';
import { escapeControls, jsonText } from '../runtime/control-characters.ts';
import { createPrivateFile } from '../runtime/private-files.ts';
import type { AnyChange } from './changes.ts';
import type { PlanDeps } from './deps.ts';
import type { NewSecret } from './executor.ts';

export interface SecretOutput {
  write(secret: NewSecret): Promise<void>;
  /** Secrets that are still to be shown. */
  readonly unsaved: readonly NewSecret[];
  /** Says where they are; an empty file goes. */
  close(): Promise<void>;
}

/** The file is made before anything is sent: a secret that can't be kept must not be made. */
export async function openSecretOutput(
  deps: PlanDeps,
  changes: readonly AnyChange[],
  file: string | undefined,
): Promise<SecretOutput> {
  const unsaved: NewSecret[] = [];
  const makesSecrets = changes.some(
    ({ kind, action }) => (kind === 'client' || kind === 'apiKey') && action === 'create',
  );
  if (file === undefined || !makesSecrets) {
    if (makesSecrets && ['name', 'csv'].includes(deps.context.printer.format))
      throw deps.usage(
        `-o ${deps.context.printer.format} would drop the secrets.`,
        'Add --secret-output FILE to keep them.',
      );
    return { write: async (secret) => void unsaved.push(secret), unsaved, close: async () => undefined };
  }
  await createPrivateFile(file, '').catch((error: NodeJS.ErrnoException) => {
    throw deps.usage(`${file} can't be made: ${error.code === 'EEXIST' ? 'it is there already' : error.message}.`);
  });
  let count = 0;
  return {
    write: async (secret) => {
      try {
        await appendFile(file, `${jsonText(secret)}\n`);
        count += 1;
      } catch (error) {
        // Shown rather than lost: nobody can read it again.
        unsaved.push(secret);
        throw error;
      }
    },
    unsaved,
    close: async () => {
      if (count === 0) await rm(file, { force: true });
      else
        deps.context.notice(
          `${count === 1 ? 'The new secret is' : `${count} new secrets are`} in ${file}; they will not be shown again.`,
        );
    },
  };
}

/** A secret in a line: never in a table, which would cut it. */
export function formatSecret({ kind, ...fields }: NewSecret): string {
  const { serviceAccountId, clientId, appId } = fields;
  const owner = kind === 'client' ? `client ${clientId} of ${serviceAccountId}` : `API key of ${clientId} for ${appId}`;
  return `${escapeControls(owner)}: ${fields.clientSecret ?? fields.apiKey}`;
}
