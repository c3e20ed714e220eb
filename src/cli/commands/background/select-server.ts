/** Which server in the background a command is about. */
import type { Command } from 'commander';
import { CliError, usageError } from '../../runtime/errors.ts';
import type { Environment } from '../../runtime/io.ts';
import { listRunningServers, matchesServer, readServerRecords, type ServerRecord } from './server-records.ts';

/** Adds the argument that names a server. */
export function addServerArgument(command: Command): Command {
  return command.argument('[server]', 'Its name, URL, port or store folder; needed where several run');
}

/** The one that runs and is meant; nothing where none does. @throws CliError where several could be meant. */
export async function findRunningServer(
  reference: string | undefined,
  { variables }: Environment,
): Promise<ServerRecord | undefined> {
  const running = await listRunningServers(variables);
  const matching = reference === undefined ? running : running.filter((record) => matchesServer(record, reference));
  if (matching.length > 1) throw severalServersError(matching);
  return matching[0];
}

/** The one that runs, else the last that did. @throws CliError where there was none. */
export async function findLastServer(reference: string | undefined, environment: Environment): Promise<ServerRecord> {
  const running = await findRunningServer(reference, environment);
  if (running) return running;
  const records = await readServerRecords(environment.variables);
  const last = reference === undefined ? records[0] : records.find((record) => matchesServer(record, reference));
  if (last) return last;
  throw new CliError(reference === undefined ? 'No server was started yet.' : `There was no server ${reference}.`, {
    code: 'SERVER_NOT_FOUND',
    exitCode: 3,
    hint: 'Start one with `iam server start`.',
  });
}

function severalServersError(running: readonly ServerRecord[]): CliError {
  const names = running.map(({ name, url }) => `${name} (${url})`).join(', ');
  return usageError(`Several servers run: ${names}.`, 'Name the one that you mean.');
}
