/**
 * What is allowed here: no write at all, no deletion that nobody was asked about, no more changes than so many. Bulk
 * and declarative commands ask `requireChanges` before their first call; the guard holds for whoever forgets to.
 */
import type { BaseClient } from '../../client/create-client.ts';
import { ClientError } from '../../client/errors.ts';
import type { Manifest } from '../../contract/manifest-types.ts';
import { countChanges } from './count-changes.ts';
import { CliError, usageError } from './errors.ts';
import { resolveProfileName, resolveSetting, type SettingSources, type SettingValue } from './settings.ts';

export interface SafetyRules {
  /** What has to be typed where `--yes` is not enough: the name of the profile in use, or else the host. */
  readonly name: string;
  /** Whether everything destructive has to be confirmed by that name. */
  readonly isProtected: boolean;
  /** Who says that nothing may be written; nobody where writes are allowed. */
  readonly readOnly: SettingValue | undefined;
  /** Most changes that one command may make, and who says so. */
  readonly maxChanges: { readonly count: number; readonly origin: string } | undefined;
}

/** The rules in force: of all places that say something the strictest, so that nothing can loosen a profile. */
export function resolveSafetyRules(sources: SettingSources): SafetyRules {
  const most = resolveSetting('max-changes', sources);
  return {
    name: resolveProfileName(sources)?.value ?? getHost(sources),
    isProtected: isTrue(resolveSetting('protected', sources)),
    readOnly: isTrue(resolveSetting('read-only', sources)) ? resolveSetting('read-only', sources) : undefined,
    maxChanges: most && { count: parseLimit(most), origin: most.origin },
  };
}

function isTrue(value: SettingValue | undefined): boolean {
  return value?.value === 'true';
}

function getHost(sources: SettingSources): string {
  const { value = '' } = resolveSetting('base-url', sources) ?? {};
  return URL.canParse(value) ? new URL(value).host : value;
}

function parseLimit({ value, origin }: SettingValue): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw usageError(`max-changes (${origin}) must be a whole number, not ${JSON.stringify(value)}.`);
}

/** @throws CliError (exit 2) where nothing may be written. To be asked before anything is sent, reads included. */
export function assertWritable(sources: SettingSources): void {
  const { readOnly, name } = resolveSafetyRules(sources);
  if (!readOnly) return;
  throw new CliError(`${name} is read-only (${readOnly.origin}); nothing was sent.`, {
    code: 'READ_ONLY',
    exitCode: 2,
    hint: 'Use another profile, or allow writes with `iam config set read-only false`. --dry-run is always allowed.',
  });
}

/** @throws CliError (exit 2) where one command may not make so many changes. To be asked before the first is sent. */
export function assertChangeLimit(sources: SettingSources, count: number): void {
  assertWritable(sources);
  const { maxChanges } = resolveSafetyRules(sources);
  if (maxChanges && count > maxChanges.count)
    throw tooManyChangesError(maxChanges, `These are ${count}; nothing was sent.`);
}

function tooManyChangesError({ count, origin }: NonNullable<SafetyRules['maxChanges']>, what: string): CliError {
  return new CliError(`One command may make ${count} changes at most (${origin}). ${what}`, {
    code: 'TOO_MANY_CHANGES',
    exitCode: 2,
    hint: 'Make fewer at a time, or allow more with `iam config set max-changes NUMBER`.',
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
export function guardWrites(client: BaseClient, manifest: Manifest, sources: SettingSources): BaseClient {
  const count = createChangeCounter(sources);
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
function createChangeCounter(
  sources: SettingSources,
): <Result>(body: unknown, send: () => Promise<Result>) => Promise<Result> {
  const { maxChanges } = resolveSafetyRules(sources);
  let made = 0;
  return async (body, send) => {
    assertWritable(sources);
    const changes = countChanges(body);
    if (maxChanges && made + changes > maxChanges.count)
      throw tooManyChangesError(
        maxChanges,
        made === 0 ? `These are ${changes}; nothing was sent.` : `${made} were made.`,
      );
    made += changes;
    try {
      return await send();
    } catch (error) {
      if (error instanceof ClientError) made -= changes;
      throw error;
    }
  };
}
