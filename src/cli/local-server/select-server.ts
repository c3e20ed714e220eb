/** Selects the background server that a command applies to. */
import type { Command } from 'commander';
import { CliError, usageError } from '../errors.ts';
import type { Environment, Io } from '../io/io.ts';
import { findUserFolderProblem } from '../io/user-folders.ts';
import { listRunningServers, matchesServer, readServerRecords, type ServerRecord } from './server-records.ts';

export function addServerArgument(command: Command): Command {
  return command.argument('[server]', 'Name, URL, port or store folder; required if several servers run');
}

/** Whether the records of servers can be used. If not, commands that only report warn and go on without them. */
export function checkServerRecords({ variables }: Environment, { stderr }: Io): boolean {
  const problem = findUserFolderProblem(variables, 'state');
  if (problem) stderr.write(`warning: ${problem.message}; background servers are not known. ${problem.hint}.\n`);
  return problem === undefined;
}

/** Returns the running server that matches, or undefined. @throws CliError if several match. */
export async function findRunningServer(
  reference: string | undefined,
  { variables }: Environment,
): Promise<ServerRecord | undefined> {
  const running = await listRunningServers(variables);
  const matching = reference === undefined ? running : running.filter((record) => matchesServer(record, reference));
  if (matching.length > 1) throw severalServersError(matching);
  return matching[0];
}

/** Returns the servers that match, running or not, most recently started first. @throws CliError (exit 3) if none does. */
export async function findKnownServers(reference: string, { variables }: Environment): Promise<ServerRecord[]> {
  const records = await readServerRecords(variables);
  const matching = records.filter((record) => matchesServer(record, reference));
  if (matching.length === 0) throw serverNotFoundError(`Server ${reference} not found.`, records);
  return matching;
}

/** Returns the running server, or else the last one that ran. @throws CliError if there is none. */
export async function findLastServer(reference: string | undefined, environment: Environment): Promise<ServerRecord> {
  const running = await findRunningServer(reference, environment);
  if (running) return running;
  const records = await (reference === undefined
    ? readServerRecords(environment.variables)
    : findKnownServers(reference, environment));
  const [last] = records;
  if (last === undefined) throw serverNotFoundError('No server has been started yet.', records);
  return last;
}

function serverNotFoundError(message: string, known: readonly ServerRecord[]): CliError {
  const names = known.map(({ name }) => name).join(', ');
  return new CliError(names === '' ? message : `${message} Known servers: ${names}.`, {
    code: 'SERVER_NOT_FOUND',
    exitCode: 3,
    hint: names === '' ? 'Start one with `iam server start`.' : 'Show them with `iam server status`.',
  });
}

function severalServersError(running: readonly ServerRecord[]): CliError {
  const names = running.map(({ name, url }) => `${name} (${url})`).join(', ');
  return usageError(`Several servers are running: ${names}.`, 'Name one of them.');
}
