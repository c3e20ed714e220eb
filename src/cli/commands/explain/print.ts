/** Finds what a name means, and prints the explanation. */
import type { Manifest, ManifestOperation } from '../../../contract/manifest-types.ts';
import { findNearest } from '../../../lib/nearest-name.ts';
import { commandPath, descriptionOf } from '../../command.ts';
import type { CliRuntime, Context } from '../../context.ts';
import { type CliError, usageError } from '../../errors.ts';
import { getTextOutput, type Io } from '../../io/io.ts';
import { createErrorReport } from '../../output/error-report.ts';
import { commandOfOperation, findNearOperations, findOperations } from '../../request/operation-names.ts';
import { type ErrorExplanation, explainError, formatError } from './error.ts';
import { explainField, type FieldReport, formatField, listOccurrences, listOperationsBelow } from './field.ts';
import { explainOperation, formatOperation, type OperationExplanation } from './operation.ts';
import { explainRole, explainRoleOfGroups, formatRole, listRoles, type RoleExplanation } from './role.ts';
import { textWidth } from './text.ts';

type Explanation = OperationExplanation | ErrorExplanation | RoleExplanation | FieldReport;

/** Prints the explanation of a name. @throws CliError (exit 2) with the nearest names if it means nothing */
export async function printExplanation(context: Context, runtime: CliRuntime, name: string) {
  const { manifest, printer, io } = context;
  const operations = findOperations(manifest, name);
  const listed = operations.length > 0 ? operations : listOperationsBelow(manifest, splitWords(name));
  const [only, ...others] = operations;
  if (listed.length > 0 && (!only || others.length > 0)) return printEntries(context, listed);
  const explanation = only
    ? explainOperation(manifest, only)
    : (findExplanation(manifest, name) ?? (await explainStoredRole(context, runtime, name)));
  if (!printer.isForPeople) return printer.value(explanation);
  printer.lines(formatExplanation(explanation, textWidth(io.stdout.columns)));
}

/** A role of the groups of the server. @throws CliError (exit 2) if the name is none, or the server does not say so */
async function explainStoredRole(context: Context, runtime: CliRuntime, name: string): Promise<RoleExplanation> {
  const unknownName = await unknownNameError(context.manifest, runtime, name);
  // A role is one word.
  if (/\s/.test(name)) throw unknownName;
  const role = await explainRoleOfGroups(context, name).catch((error: unknown) => {
    if (context.io.signal.aborted) throw error;
    const { message } = createErrorReport(error, context.manifest);
    context.notice(`The groups of the server were not searched for a role with this name: ${message}`);
    return undefined;
  });
  if (!role) throw unknownName;
  return role;
}

/** Prints `iam call OPERATION --help`. */
export function printOperationHelp(io: Io, manifest: Manifest, operation: ManifestOperation): void {
  const output = getTextOutput(io);
  const lines = formatOperation(explainOperation(manifest, operation), textWidth(output.columns));
  const end = ['', 'Options: iam call --help'];
  output.write(`${[`Usage: iam call ${operation.id} [options]`, '', ...lines, ...end].join('\n')}\n`);
}

function splitWords(name: string): string[] {
  return name.split(/[\s.]+/).filter((word) => word !== '' && word !== 'iam');
}

async function printEntries({ printer }: Context, operations: readonly ManifestOperation[]): Promise<void> {
  const columns = ['operation', 'command', 'title'];
  async function* pages() {
    yield operations.map(describeEntry);
  }
  await printer.list(pages(), { main: columns, text: ['title'], required: columns });
}

function describeEntry(operation: ManifestOperation) {
  const { id, title } = operation;
  return { operation: id, command: commandOfOperation(operation) ?? `call ${id}`, title };
}

function findExplanation(manifest: Manifest, name: string): Explanation | undefined {
  return explainError(manifest, name) ?? explainRole(manifest, name) ?? explainField(manifest, name);
}

function formatExplanation(explanation: Explanation, width: number): string[] {
  switch (explanation.kind) {
    case 'operation':
      return formatOperation(explanation, width);
    case 'error':
      return formatError(explanation, width);
    case 'role':
      return formatRole(explanation, width);
    case 'field':
      return formatField(explanation, width);
  }
}

async function unknownNameError(manifest: Manifest, runtime: CliRuntime, name: string): Promise<CliError> {
  const words = splitWords(name);
  const command = words.join(' ');
  const commands = await listCommands(runtime);
  if (commands.includes(`iam ${command}`))
    return usageError(`\`iam ${command}\` is not one operation.`, `See \`iam ${command} --help\`.`);
  const named = commands.filter((path) => words.length === 1 && path.split(/[ -]/).includes(command));
  const operations = listNearNames(manifest, name);
  const near = operations.length > 0 ? operations : named.slice(0, maxNamedCommands).map((path) => `\`${path}\``);
  return usageError(
    `${JSON.stringify(name)} is no operation, field, error code or role.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''}`,
    'List operations with `iam commands`. For error codes, see docs/reference/errors.md.',
  );
}

/** The commands with a word that are suggested. */
const maxNamedCommands = 3;

async function listCommands({ everyCommand }: CliRuntime): Promise<string[]> {
  const program = await everyCommand();
  const below = (command: typeof program): (typeof program)[] => [command, ...command.commands.flatMap(below)];
  return below(program)
    .filter((command) => descriptionOf(command) !== undefined || command.commands.length > 0)
    .map(commandPath);
}

function listNearNames(manifest: Manifest, name: string): string[] {
  const codes = [...manifest.errors.map(({ code }) => code), ...listRoles(manifest.operations)];
  const occurrences = listOccurrences(manifest);
  const paths = occurrences.map((field) => `${field.operation}.${field.name}`);
  const fields = [...new Set(occurrences.map((field) => field.name.split('.').at(-1)?.replaceAll('[]', '') ?? ''))];
  const operations = findNearOperations(manifest, name).map((one) => commandOfOperation(one) ?? one.id);
  const resources = manifest.operations.flatMap((one) => [one.id, commandOfOperation(one) ?? one.id]).map(firstWord);
  const near = [
    findNearest(name.toUpperCase(), codes),
    findNearest(name, resources),
    ...operations,
    findNearest(name, paths) ?? findNearest(splitWords(name).at(-1) ?? '', fields),
  ];
  return [...new Set(near.filter((one) => one !== undefined))];
}

function firstWord(name: string): string {
  return splitWords(name)[0] ?? '';
}
