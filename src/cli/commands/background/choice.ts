/** Which server in the background a command is about. */
import type { Command } from 'commander';
import { CliError, usageError } from '../../runtime/failures.ts';
import type { Environment } from '../../runtime/io.ts';
import { isMeant, readRecords, runningServers, type ServerRecord } from './records.ts';

/** Adds the argument that names a server. */
export function addServerArgument(command: Command): Command {
  return command.argument('[server]', 'Its name, URL, port or store folder; needed where several run');
}

/** The one that runs and is meant; nothing where none does. @throws CliError where several could be meant. */
export async function runningServer(
  typed: string | undefined,
  { variables }: Environment,
): Promise<ServerRecord | undefined> {
  const running = await runningServers(variables);
  const meant = typed === undefined ? running : running.filter((record) => isMeant(record, typed));
  if (meant.length > 1) throw severalRun(meant);
  return meant[0];
}

/** The one that runs, else the last that did. @throws CliError where there was none. */
export async function lastServer(typed: string | undefined, environment: Environment): Promise<ServerRecord> {
  const running = await runningServer(typed, environment);
  if (running) return running;
  const records = await readRecords(environment.variables);
  const last = typed === undefined ? records[0] : records.find((record) => isMeant(record, typed));
  if (last) return last;
  throw new CliError(typed === undefined ? 'No server was started yet.' : `There was no server ${typed}.`, {
    code: 'SERVER_NOT_FOUND',
    exitCode: 3,
    fix: 'Start one with `iam server start`.',
  });
}

function severalRun(running: readonly ServerRecord[]): CliError {
  const names = running.map(({ name, url }) => `${name} (${url})`).join(', ');
  return usageError(`Several servers run: ${names}.`, 'Name the one that you mean.');
}
