/** Values that need no request: those of local sources, and those that the line determines. */
import type { Command } from 'commander';
import type { Manifest, ManifestOperation } from '../../contract/manifest-types.ts';
import { commandPath } from '../command.ts';
import { methods } from '../commands/api.ts';
import { topics } from '../commands/help.ts';
import type { Environment } from '../io/io.ts';
import { readServerRecords } from '../local-server/server-records.ts';
import { localSourceOf } from '../prompts/value-sources.ts';
import { commandOfOperation, findOperations } from '../request/operation-names.ts';
import type { Candidate } from './candidate.ts';
import { findSubcommand, type Position } from './position.ts';
import type { Slot } from './slot.ts';

interface LocalValueRequest {
  readonly slot: Slot;
  readonly position: Position;
  readonly program: Command;
  readonly manifest: Manifest;
  readonly environment: Environment;
  /** The typed part of the value. */
  readonly typed: string;
}

type Source = (request: LocalValueRequest) => readonly Candidate[] | Promise<readonly Candidate[]>;

/** Values that depend on the line or on running servers, by argument name or option flag. */
const sources: Readonly<Record<string, Source>> = {
  '--columns': ({ manifest, position }) => {
    const { response } = findCommandOperation(manifest, position.command) ?? {};
    return Object.keys(response?.schema?.properties ?? {}).map((value) => ({ value }));
  },
  server: async ({ environment }) => {
    const records = await readServerRecords(environment.variables);
    return records.map(({ name, url }) => ({ value: name, text: url }));
  },
  method: () => methods.map((value) => ({ value })),
  path: ({ manifest, position }) => {
    const method = position.args[0]?.toUpperCase();
    const plain = manifest.operations.filter((one) => one.method === method && !one.path.includes('{'));
    return plain.map(({ path, title }) => ({ value: path, text: title }));
  },
  words: listHelpWords,
  topic: listExplainTopics,
};

/** Candidates for a locally known value; undefined for other values. */
export async function findLocalValues(request: LocalValueRequest): Promise<readonly Candidate[] | undefined> {
  const { name, flag, sources: declared } = request.slot;
  const [local] = declared.filter((source) => typeof source === 'string');
  if (local === 'operation') return listOperationNames(request);
  if (local) return localSourceOf(local).list(request);
  const key = flag !== undefined && Object.hasOwn(sources, flag) ? flag : name;
  return Object.hasOwn(sources, key) ? sources[key]?.(request) : undefined;
}

/**
 * Ids of operations, and the names of commands: for an option both, for an argument the names only if no id matches, and
 * their words after the first one.
 */
function listOperationNames({ manifest, position, slot, typed }: LocalValueRequest): readonly Candidate[] {
  const above = slot.flag === undefined ? position.args.map((word) => `${word} `).join('') : '';
  const named = manifest.operations.flatMap((operation) => {
    const command = commandOfOperation(operation);
    return command?.startsWith(above) ? [{ command: command.slice(above.length), title: operation.title }] : [];
  });
  const nextWords = named.map(({ command, title }) => {
    const [value = '', ...rest] = command.split(' ');
    return rest.length > 0 ? { value } : { value, text: title };
  });
  if (above !== '') return withoutRepeated(nextWords);
  const ids = manifest.operations.map(({ id, title }) => ({ value: id, text: title }));
  if (slot.flag === undefined && ids.some(({ value }) => value.startsWith(typed))) return ids;
  return withoutRepeated([
    ...ids,
    ...named.map(({ command, title }) => ({
      value: typed.includes(' ') ? command : command.replaceAll(' ', '.'),
      text: title,
    })),
  ]);
}

/** Operations, error codes and roles; the fields of an operation that is typed completely. */
async function listExplainTopics(request: LocalValueRequest): Promise<readonly Candidate[]> {
  const { manifest, position, typed } = request;
  const operations = listOperationNames(request);
  if (position.args.length > 0) return operations;
  const [{ listOccurrences }, { listRoles }] = await Promise.all([
    import('../commands/explain/field.ts'),
    import('../commands/explain/role.ts'),
  ]);
  const [operation] = findOperations(manifest, typed.slice(0, Math.max(0, typed.lastIndexOf('.'))));
  const fields = operation ? listOccurrences({ operations: [operation] }) : [];
  const start = typed.slice(0, typed.lastIndexOf('.') + 1);
  return [
    ...operations,
    ...fields.map(({ name, description }) => ({ value: `${start}${name}`, text: description })),
    ...manifest.errors.map(({ code, message }) => ({ value: code, text: message })),
    ...listRoles(manifest.operations).map((value) => ({ value, text: 'role' })),
  ];
}

function withoutRepeated(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.map((candidate) => [candidate.value, candidate])).values()];
}

/** The words of a command in order, or a topic. */
function listHelpWords({ program, position }: LocalValueRequest): readonly Candidate[] {
  let command: Command | undefined = program;
  for (const word of position.args) command = command && findSubcommand(command, word);
  const commands = command?.commands.map((below) => ({ value: below.name(), text: below.summary() })) ?? [];
  const named = position.args.length === 0 ? Object.keys(topics).map((value) => ({ value, text: 'topic' })) : [];
  return [...commands, ...named];
}

/** The operation of a command, generated or custom. */
export function findCommandOperation({ operations }: Manifest, command: Command): ManifestOperation | undefined {
  const words = commandPath(command).split(' ').slice(1).join(' ');
  return operations.find(
    ({ id, command: known }) => known === words || (known === undefined && id === words.replaceAll(' ', '.')),
  );
}
