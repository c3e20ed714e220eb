/** Secrets that an apply makes: kept in a private file as soon as they are there, or shown once at the end. */
import { appendFile, rm } from 'node:fs/promises';
import { escapeControls, jsonText } from '../runtime/control-characters.ts';
import { writeNew } from '../runtime/files.ts';
import type { AnyChange } from './changes.ts';
import type { NewSecret } from './executor.ts';
import type { Tools } from './tools.ts';

export interface SecretKeeper {
  keep(secret: NewSecret): Promise<void>;
  /** Secrets that are still to be shown. */
  readonly shown: readonly NewSecret[];
  /** Says where they are; an empty file goes. */
  done(): Promise<void>;
}

/** The file is made before anything is sent: a secret that can't be kept must not be made. */
export async function secretKeeper(
  tools: Tools,
  changes: readonly AnyChange[],
  file: string | undefined,
): Promise<SecretKeeper> {
  const shown: NewSecret[] = [];
  const makesSecrets = changes.some(
    ({ kind, action }) => (kind === 'client' || kind === 'apiKey') && action === 'create',
  );
  if (file === undefined || !makesSecrets) {
    if (makesSecrets && ['name', 'csv'].includes(tools.context.printer.format))
      throw tools.usage(
        `-o ${tools.context.printer.format} would drop the secrets.`,
        'Add --secret-to FILE to keep them.',
      );
    return { keep: async (secret) => void shown.push(secret), shown, done: async () => undefined };
  }
  await writeNew(file, '').catch((error: NodeJS.ErrnoException) => {
    throw tools.usage(`${file} can't be made: ${error.code === 'EEXIST' ? 'it is there already' : error.message}.`);
  });
  let count = 0;
  return {
    keep: async (secret) => {
      try {
        await appendFile(file, `${jsonText(secret)}\n`);
        count += 1;
      } catch (error) {
        // Shown rather than lost: nobody can read it again.
        shown.push(secret);
        throw error;
      }
    },
    shown,
    done: async () => {
      if (count === 0) await rm(file, { force: true });
      else
        tools.context.notice(
          `${count === 1 ? 'The new secret is' : `${count} new secrets are`} in ${file}; they will not be shown again.`,
        );
    },
  };
}

/** A secret in a line: never in a table, which would cut it. */
export function secretLine({ kind, ...fields }: NewSecret): string {
  const { serviceAccountId, clientId, appId } = fields;
  const whose = kind === 'client' ? `client ${clientId} of ${serviceAccountId}` : `API key of ${clientId} for ${appId}`;
  return `${escapeControls(whose)}: ${fields.clientSecret ?? fields.apiKey}`;
}
