/** Selects the background server that a command applies to. */
import type { Command } from 'commander';
import { CliError, usageError } from '../errors.ts';
import type { Environment } from '../io/io.ts';
import { listRunningServers, matchesServer, readServerRecords, type ServerRecord } from './server-records.ts';

/** Adds the `[server]` argument. */
export function addServerArgument(command: Command): Command {
  return command.argument('[server]', 'Name, URL, port or store folder; required if several servers run');
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

/** Returns the running server, or else the last one that ran. @throws CliError if there is none. */
export async function findLastServer(reference: string | undefined, environment: Environment): Promise<ServerRecord> {
  const running = await findRunningServer(reference, environment);
  if (running) return running;
  const records = await readServerRecords(environment.variables);
  const last = reference === undefined ? records[0] : records.find((record) => matchesServer(record, reference));
  if (last) return last;
  throw new CliError(reference === undefined ? 'No server has been started yet.' : `Server ${reference} not found.`, {
    code: 'SERVER_NOT_FOUND',
    exitCode: 3,
    hint: 'Start one with `iam server start`.',
  });
}

function severalServersError(running: readonly ServerRecord[]): CliError {
  const names = running.map(({ name, url }) => `${name} (${url})`).join(', ');
  return usageError(`Several servers are running: ${names}.`, 'Name one of them.');
}
