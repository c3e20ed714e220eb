/**
 * Safety rules of a profile: read-only, confirmation of destructive commands, max changes per command. Bulk and
 * declarative commands call `assertChangeLimit` before their first request; `guardWrites` enforces it for all commands.
 */
import type { BaseClient } from '../../client/create-client.ts';
import { type ApiResponse, findResponseError } from '../../client/response.ts';
import type { Manifest } from '../../contract/manifest-types.ts';
import { CliError, UnknownOutcomeError, usageError } from '../errors.ts';
import type { CliSettings, SettingValue } from './settings.ts';

export interface SafetyRules {
  /** The name to type if `--yes` is not enough: that of the profile in use, or the host. */
  readonly name: string;
  /** Whether destructive commands require that name. */
  readonly isProtected: boolean;
  /** The setting that forbids writes; undefined if they are allowed. */
  readonly readOnly: SettingValue | undefined;
  /** The max changes of one command, and the origin of the limit. */
  readonly maxChanges: { readonly count: number; readonly origin: string } | undefined;
}

/** Resolves the rules. The strictest source applies, so that no other source can weaken a profile. */
export function resolveSafetyRules(settings: CliSettings): SafetyRules {
  const most = settings.get('max-changes');
  return {
    name: settings.profileName?.value ?? getHost(settings),
    isProtected: isTrue(settings.get('protected')),
    readOnly: isTrue(settings.get('read-only')) ? settings.get('read-only') : undefined,
    maxChanges: most && { count: parseLimit(most), origin: most.origin },
  };
}

function isTrue(value: SettingValue | undefined): boolean {
  return value?.value === 'true';
}

function getHost(settings: CliSettings): string {
  const { value = '' } = settings.get('base-url') ?? {};
  return URL.canParse(value) ? new URL(value).host : value;
}

function parseLimit({ value, origin }: SettingValue): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw usageError(`max-changes (${origin}) must be a whole number, not ${JSON.stringify(value)}.`);
}

/** @throws CliError (exit 2) if writes are forbidden. Call it before the first request, reads included. */
export function assertWritable(settings: CliSettings): void {
  const { readOnly, name } = resolveSafetyRules(settings);
  if (!readOnly) return;
  throw new CliError(`${name} is read-only (${readOnly.origin}); nothing was sent.`, {
    code: 'READ_ONLY',
    exitCode: 2,
    hint: 'Use another profile, or allow writes with `iam config set read-only false`. --dry-run is always allowed.',
  });
}

/** @throws CliError (exit 2) if a command would exceed the change limit. Call it before the first request. */
export function assertChangeLimit(settings: CliSettings, count: number): void {
  assertWritable(settings);
  const { maxChanges } = resolveSafetyRules(settings);
  if (maxChanges && count > maxChanges.count)
    throw tooManyChangesError(maxChanges, `This command makes ${count}; nothing was sent.`);
}

function tooManyChangesError({ count, origin }: NonNullable<SafetyRules['maxChanges']>, detail: string): CliError {
  return new CliError(`The limit is ${count} changes per command (${origin}). ${detail}`, {
    code: 'TOO_MANY_CHANGES',
    exitCode: 2,
    hint: 'Make fewer changes at a time, or raise the limit with `iam config set max-changes NUMBER`.',
  });
}

/** Sign-in is allowed with read-only profiles, because reads need it too. */
const signInOperations: readonly string[] = [
  'client-identities.login',
  'client-identities.connect-token',
  'user-identities.login',
  'user-identities.leverage-mfa',
  'user-identities.fulfill-mfa',
  'generate-token.create',
];
const signOutPath = '/_iam/revoke';
/** A POST that changes nothing. */
export const backupPath = '/_iam/store/backup';
/** Reads with a body. */
export const namesPath = '/_iam/names';
/** A read with the token in its body, which is in no URL or log. */
export const inspectTokenPath = '/_iam/tokens/inspect';
/** Logins with a browser (RFC 9126, RFC 6749 and RFC 8628). */
export const loginPaths = {
  push: '/oauth2/par',
  token: '/oauth2/token',
  device: '/oauth2/device_authorization',
} as const;
const harmlessPaths: readonly string[] = [
  ...[signOutPath, backupPath, inspectTokenPath, namesPath],
  ...Object.values(loginPaths),
];

/** Whether an operation changes something, other than by a sign-in. */
export function isWriteOperation({ operations }: Manifest, id: string): boolean {
  return !signInOperations.includes(id) && operations.find((one) => one.id === id)?.effect !== 'read';
}

/** Whether a request can change something. */
export function isWriteRequest(method: string, path: string): boolean {
  return !/^(get|head|options)$/i.test(method) && !harmlessPaths.includes(path);
}

/** Wraps a client so that its writes follow the safety rules. */
export function guardWrites(client: BaseClient, manifest: Manifest, count: ChangeCounter): BaseClient {
  return {
    ...client,
    call: (id, input) => {
      const send = () => client.call(id, input);
      return isWriteOperation(manifest, id) ? count.run(input?.body, send) : send();
    },
    raw: (method, path, input) => {
      const send = () => client.raw(method, path, input);
      return isWriteRequest(method, path) ? count.run(input?.body, send) : send();
    },
  };
}

/** Runs the writes of a command and counts those that took effect or may have; another one can be retried. */
export interface ChangeCounter {
  /** How many changes the command made, or may have made. */
  readonly changes: number;
  run(body: unknown, send: () => Promise<ApiResponse>): Promise<ApiResponse>;
}

/** @param beforeWrite runs before each write is sent */
export function createChangeCounter(settings: CliSettings, beforeWrite: () => void): ChangeCounter {
  const { maxChanges } = resolveSafetyRules(settings);
  let count = 0;
  const run: ChangeCounter['run'] = async (body, send) => {
    assertWritable(settings);
    const changes = countChanges(body);
    if (maxChanges && count + changes > maxChanges.count)
      throw tooManyChangesError(
        maxChanges,
        count === 0 ? `This command makes ${changes}; nothing was sent.` : `${count} were made.`,
      );
    count += changes;
    beforeWrite();
    try {
      const response = await send();
      if (findResponseError(response)) count -= changes;
      return response;
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError)) count -= changes;
      throw error;
    }
  };
  return {
    run,
    get changes() {
      return count;
    },
  };
}

/** The number of changes in a request: the length of a list body, such as group members, or 1. */
export function countChanges(body: unknown): number {
  return Array.isArray(body) ? body.length : 1;
}
