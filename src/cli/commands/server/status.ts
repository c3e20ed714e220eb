/** `iam server status`: shows background servers. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { addCommand, setAction } from '../../command.ts';
import type { CliSettings } from '../../config/settings.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { QuietExit, usageError } from '../../errors.ts';
import { resolveBaseUrl } from '../../http/connection.ts';
import { addServerArgument, checkServerRecords, findKnownServers } from '../../local-server/select-server.ts';
import { isServerRunning, readServerRecords, type ServerRecord } from '../../local-server/server-records.ts';
import { createErrorReport } from '../../output/error-report.ts';
import { parseTimeout } from './timeout.ts';

export function addStatus(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'status', {
    title: 'Show the status of background servers',
    description:
      'Exits with 0 if a server is running, otherwise with 1, and with 3 for an unknown name. The state `ended` means that a server exited without `iam server stop`; see its log for the reason. With --ready, asks the server of --base-url for /readyz instead, without credentials, and exits with 0 if it accepts writes, otherwise with 1: for service managers and containers. --local asks the server that `iam serve` runs on this machine with the same variables: on the port of IAM_SERVE_PORT, default 8080, without TLS.',
    effect: 'local',
    examples: [
      { title: 'Show all servers', command: '' },
      { title: 'Show one server', command: 'memory' },
      { title: 'In a script', command: '-q -o json' },
      { title: 'Wait until a server accepts writes', command: '--ready --wait 30s --base-url http://127.0.0.1:8080' },
    ],
  });
  addServerArgument(command)
    .option('--ready', 'check whether the server of --base-url is ready')
    .option('--local', 'with --ready, check the server of this machine on the port of IAM_SERVE_PORT')
    .option('--wait <seconds>', 'with --ready, how long to wait until it is');
  setAction(command, runtime, (context, [typed], options) =>
    options.ready === true
      ? waitUntilReady(context, typed, options)
      : status(context, typed as string | undefined, options),
  );
}

async function status(context: Context, typed: string | undefined, options: CommandOptions): Promise<void> {
  for (const name of ['wait', 'local'])
    if (options[name] !== undefined) throw usageError(`--${name} requires --ready.`);
  const { environment, io } = context;
  const listServers = () => (checkServerRecords(environment, io) ? readServerRecords(environment.variables) : []);
  const known = await (typed === undefined ? listServers() : findKnownServers(typed, environment));
  const rows = await Promise.all(known.filter(({ stopped }) => stopped !== true).map(describeServer));
  if (rows.length > 0 || !context.printer.isForPeople) await context.printer.value(selectTableColumns(context, rows));
  if (rows.some(({ state }) => state === 'running')) return;
  context.notice('No background server is running.');
  throw new QuietExit(1);
}

const pollMs = 200;

async function waitUntilReady(context: Context, typed: unknown, { wait, local }: CommandOptions): Promise<void> {
  if (typed !== undefined) throw usageError('--ready checks the server of --base-url: omit the name.');
  const { environment, io } = context;
  const settings = local === true ? selectLocalServer(context) : context.settings;
  const deadline = environment.now() + (wait === undefined ? 0 : parseTimeout(wait));
  let problem = await findReadinessProblem(context, settings);
  while (problem !== undefined && environment.now() < deadline) {
    await pause(pollMs, undefined, { signal: io.signal });
    problem = await findReadinessProblem(context, settings);
  }
  if (problem === undefined) return;
  context.notice(problem);
  throw new QuietExit(1);
}

/** The address of `iam serve` with these variables. @throws CliError (exit 2) together with --base-url */
function selectLocalServer({ environment, manifest, settings }: Context): CliSettings {
  if (settings.options.baseUrl !== undefined) throw usageError('Use --local or --base-url, not both.');
  const port = manifest.settings.find(({ name }) => name === 'port');
  const baseUrl = `http://127.0.0.1:${environment.variables[port?.environment ?? ''] || port?.default}`;
  return settings.with({ options: { ...settings.options, baseUrl } });
}

/** Returns why the server is not ready; undefined if it is. */
async function findReadinessProblem(context: Context, settings: CliSettings): Promise<string | undefined> {
  const { io, manifest } = context;
  try {
    const client = await context.connect('anonymous', settings);
    const { status } = await client.direct.raw('GET', '/readyz', { anonymous: true, signal: io.signal });
    return status === 200 ? undefined : `${resolveBaseUrl(settings)} is not ready: /readyz returned ${status}.`;
  } catch (error) {
    if (io.signal.aborted) throw error;
    return createErrorReport(error, manifest).message;
  }
}

/** Selects the columns that fit a terminal without truncating URLs; `wide` prints all. */
function selectTableColumns(
  { printer, settings }: Context,
  rows: Awaited<ReturnType<typeof describeServer>>[],
): readonly object[] {
  if (!printer.isForPeople || printer.format !== 'table' || settings.options.columns !== undefined) return rows;
  return rows.map(({ name, state, url, pid, store, data = `(${store})` }) => ({ name, state, url, pid, data }));
}

/** Returns a server record as commands print it. */
export async function describeServer(record: ServerRecord) {
  const { name, url, pid, store, data, profile, log } = record;
  const state = (await isServerRunning(record)) ? 'running' : 'ended';
  return { name, state, url, pid, store, data, profile, log };
}
