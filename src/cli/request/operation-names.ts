/** Names of operations: the operation id (`user-identities.create`), or the command (`users create`, `users.create`). */
import type { Manifest, ManifestOperation } from '../../contract/manifest-types.ts';
import { findNearest } from '../../lib/nearest-name.ts';
import { usageError } from '../errors.ts';
import { toSingular } from './field-options.ts';

const verbAliases: Readonly<Record<string, readonly string[]>> = {
  delete: ['remove', 'rm'],
  remove: ['delete', 'rm'],
  list: ['ls'],
  get: ['show'],
};

export function findVerbAliases(verb: string): readonly string[] {
  return verbAliases[verb] ?? [];
}

/** The command that calls exactly this operation; undefined if there is none. */
export function commandOfOperation({ command, customCommand }: ManifestOperation): string | undefined {
  return command ?? customCommand;
}

/** The names of an operation, as suggestions show them. */
function formatOperationNames(operation: ManifestOperation): string {
  const command = commandOfOperation(operation);
  return command === undefined ? operation.id : `${command} (${operation.id})`;
}

/** The operations that a name means: one by its id, or those of a command. Aliases of nouns and verbs are accepted. */
export function findOperations({ operations }: Manifest, name: string): readonly ManifestOperation[] {
  const words = splitName(name);
  const exact = operations.find(({ id }) => id === words.join('.'));
  return exact ? [exact] : operations.filter((operation) => isCommand(operation, words));
}

/** Splits `iam users create` or `users.create` into words. */
function splitName(name: string): string[] {
  const words = name.split(/[\s.]+/).filter((word) => word !== '');
  return words[0] === 'iam' ? words.slice(1) : words;
}

function isCommand(operation: ManifestOperation, words: readonly string[]): boolean {
  const own = commandOfOperation(operation)?.split(' ') ?? [];
  if (own.length === 0 || own.length !== words.length) return false;
  return own.every((word, at) => {
    const given = words[at] ?? '';
    if (word === given) return true;
    const isVerb = at === own.length - 1 && at > 0;
    return isVerb ? findVerbAliases(word).includes(given) : toSingular(word) === toSingular(given);
  });
}

/**
 * Returns the operation with this id or command.
 * @throws CliError (exit 2) with the nearest names if there is none, or with all of them if there are several
 */
export function resolveOperation(manifest: Manifest, name: string): ManifestOperation {
  const [found, ...others] = findOperations(manifest, name);
  if (found && others.length === 0) return found;
  if (found)
    throw usageError(
      `${JSON.stringify(name)} has several operations: ${[found, ...others].map(({ id }) => id).join(', ')}.`,
      'Use the id of one of them.',
    );
  const near = findNearOperations(manifest, name).map(formatOperationNames);
  throw usageError(
    `Operation ${JSON.stringify(name)} not found.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''}`,
    'List operations with `iam commands`.',
  );
}

/** Maximum number of suggested operations. */
const maxSuggestions = 3;

/** The operation with the most similar id or command, otherwise those whose names contain the word. */
export function findNearOperations({ operations }: Manifest, name: string): readonly ManifestOperation[] {
  const names = operations.flatMap((operation) => listNames(operation).map((text) => ({ text, operation })));
  const typed = splitName(name).join('.');
  const nearest = findNearest(
    typed,
    names.map(({ text }) => text),
  );
  if (nearest !== undefined) return names.filter(({ text }) => text === nearest).map(({ operation }) => operation);
  const containing = operations.filter((operation) =>
    listNames(operation).some((text) => text.split(/[.-]/).includes(typed)),
  );
  return containing.slice(0, maxSuggestions);
}

/** The names of an operation, with dots. */
function listNames(operation: ManifestOperation): string[] {
  const command = commandOfOperation(operation)?.replaceAll(' ', '.');
  return [...new Set([operation.id, command ?? operation.id])];
}
