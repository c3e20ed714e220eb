/**
 * What is allowed here: no write at all, no deletion that nobody was asked about, no more changes than so many. Bulk
 * and declarative commands ask `requireChanges` before their first call; the guard holds for whoever forgets to.
 */
import type { BaseClient } from '../../client/create-client.ts';
import { ClientError } from '../../client/errors.ts';
import type { Manifest } from '../../contract/manifest-types.ts';
import { changesIn } from './changes.ts';
import { CliError, usageError } from './failures.ts';
import { profileName, resolve, type Sources, type Value } from './settings.ts';

export interface Safety {
  /** What has to be typed where `--yes` is not enough: the name of the profile in use, or else the host. */
  readonly name: string;
  /** Whether everything destructive has to be confirmed by that name. */
  readonly isProtected: boolean;
  /** Who says that nothing may be written; nobody where writes are allowed. */
  readonly readOnly: Value | undefined;
  /** Most changes that one command may make, and who says so. */
  readonly maxChanges: { readonly count: number; readonly origin: string } | undefined;
}

/** The rules in force: of all places that say something the strictest, so that nothing can loosen a profile. */
export function safetyOf(sources: Sources): Safety {
  const most = resolve('max-changes', sources);
  return {
    name: profileName(sources)?.value ?? hostOf(sources),
    isProtected: isOn(resolve('protected', sources)),
    readOnly: isOn(resolve('read-only', sources)) ? resolve('read-only', sources) : undefined,
    maxChanges: most && { count: numberOf(most), origin: most.origin },
  };
}

function isOn(value: Value | undefined): boolean {
  return value?.value === 'true';
}

function hostOf(sources: Sources): string {
  const { value = '' } = resolve('base-url', sources) ?? {};
  return URL.canParse(value) ? new URL(value).host : value;
}

function numberOf({ value, origin }: Value): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw usageError(`max-changes (${origin}) must be a whole number, not ${JSON.stringify(value)}.`);
}

/** @throws CliError (exit 2) where nothing may be written. To be asked before anything is sent, reads included. */
export function requireWritable(sources: Sources): void {
  const { readOnly, name } = safetyOf(sources);
  if (!readOnly) return;
  throw new CliError(`${name} is read-only (${readOnly.origin}); nothing was sent.`, {
    code: 'READ_ONLY',
    exitCode: 2,
    fix: 'Use another profile, or allow writes with `iam config set read-only false`. --dry-run is always allowed.',
  });
}

/** @throws CliError (exit 2) where one command may not make so many changes. To be asked before the first is sent. */
export function requireChanges(sources: Sources, count: number): void {
  requireWritable(sources);
  const { maxChanges } = safetyOf(sources);
  if (maxChanges && count > maxChanges.count) throw tooMany(maxChanges, `These are ${count}; nothing was sent.`);
}

function tooMany({ count, origin }: NonNullable<Safety['maxChanges']>, what: string): CliError {
  return new CliError(`One command may make ${count} changes at most (${origin}). ${what}`, {
    code: 'TOO_MANY_CHANGES',
    exitCode: 2,
    fix: 'Make fewer at a time, or allow more with `iam config set max-changes NUMBER`.',
  });
}

/** Sign-in writes nothing that anybody else sees, and whoever only reads has to sign in, and out, too. */
const signInOperations: readonly string[] = [
  'client-identities.login',
  'client-identities.connect-token',
  'user-identities.login',
  'user-identities.leverage-mfa',
  'user-identities.fulfill-mfa',
  'generate-token.create',
];
const signOutPath = '/_iam/revoke';
/** Reads all, and changes nothing. */
export const backupPath = '/_iam/store/backup';
const harmlessPaths: readonly string[] = [signOutPath, backupPath];

/** The same client, whose writes keep to the rules, whichever command makes them. */
export function guarded(client: BaseClient, manifest: Manifest, sources: Sources): BaseClient {
  const count = counter(sources);
  const isWrite = (id: string) =>
    !signInOperations.includes(id) && manifest.operations.find((one) => one.id === id)?.effect !== 'read';
  return {
    ...client,
    call: (id, input) => (isWrite(id) ? count(input?.body, () => client.call(id, input)) : client.call(id, input)),
    raw: (method, path, input) => {
      const isRead = /^(get|head|options)$/i.test(method) || harmlessPaths.includes(path);
      const send = () => client.raw(method, path, input);
      return isRead ? send() : count(input?.body, send);
    },
  };
}

/** Runs writes, and counts those that were not refused: what was may be tried again. */
function counter(sources: Sources): <Result>(body: unknown, send: () => Promise<Result>) => Promise<Result> {
  const { maxChanges } = safetyOf(sources);
  let made = 0;
  return async (body, send) => {
    requireWritable(sources);
    const changes = changesIn(body);
    if (maxChanges && made + changes > maxChanges.count)
      throw tooMany(maxChanges, made === 0 ? `These are ${changes}; nothing was sent.` : `${made} were made.`);
    made += changes;
    try {
      return await send();
    } catch (error) {
      if (error instanceof ClientError) made -= changes;
      throw error;
    }
  };
}
