/** `iam doctor`: checks settings, server and sign-in, and suggests fixes. */
import type { Command } from 'commander';
import type { ApiResponse } from '../../../client/response.ts';
import { singleQuote } from '../../../lib/shell-variables.ts';
import { addCommand, type CommandDescription, setAction } from '../../command.ts';
import { getProfilePath } from '../../config/profile.ts';
import { resolveSafetyRules } from '../../config/safety.ts';
import { stripUserInfo } from '../../config/server-url.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { QuietExit } from '../../errors.ts';
import { resolveBaseUrl } from '../../http/connection.ts';
import { isLoopbackUrl, resolveProxy } from '../../http/network.ts';
import { formatServerOptions } from '../../http/server-options.ts';
import { escapeControls } from '../../io/control-characters.ts';
import { getTerminalWidth } from '../../io/io.ts';
import { findUserFolder, findUserFolderProblem } from '../../io/user-folders.ts';
import { createErrorReport } from '../../output/error-report.ts';
import { addServerOptions } from '../../output/hint-commands.ts';
import { hangingIndent } from '../../output/table.ts';
import { addDatabaseOptions } from '../store/database-options.ts';
import { checkDatabase } from './database.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { checkSignIn } from './sign-in.ts';

const doctorText: Omit<CommandDescription, 'title'> = {
  description:
    'Checks the settings in use, the modes of the files with secrets, whether the server responds, the encryption of the connection, the clocks (that of the machine of the server, and its test clock), the store, the version and the control plane; with IAM_DATABASE_URL or --database-url also PostgreSQL: its version, tables, standbys, durability and connections. Then signs in with the current credentials and checks the expiry, roles and client of the token. Each finding has the next step. Changes nothing. Exits with 1 if a check fails; warnings exit with 0.',
  effect: 'read',
  examples: [
    { title: 'Run all checks', command: '' },
    { title: 'Check another profile and print JSON', command: '--profile staging -o json' },
  ],
};

export function addDoctor(program: Command, runtime: CliRuntime, title: string): void {
  setAction(addDatabaseOptions(addCommand(program, 'doctor', { title, ...doctorText })), runtime, doctor);
}

/** Adds the options of the server to the commands of the next steps. */
function withServerOptions({ settings }: Context, finding: Finding): Finding {
  return { ...finding, next: addServerOptions(finding.next, formatServerOptions(settings.options)) };
}

async function doctor(context: Context, _: unknown, options: CommandOptions): Promise<void> {
  const findings = [
    checkSettings(context),
    await checkFiles(context),
    ...checkFolders(context),
    ...(await checkDatabase(context, options)),
    ...(await checkServer(context)),
  ];
  await print(
    context,
    findings.map((finding) => withServerOptions(context, finding)),
  );
  if (findings.some(({ status }) => status === 'fail')) throw new QuietExit(1);
}

/** Prints the next step on a separate line, so that a narrow terminal does not truncate it. */
async function print({ printer, settings, io }: Context, findings: readonly Finding[]): Promise<void> {
  if (!printer.isForPeople || printer.format !== 'table' || settings.options.columns !== undefined)
    return printer.value(findings);
  const widest = Math.max(...findings.map(({ check }) => check.length));
  const width = getTerminalWidth(io.stdout);
  const lines = findings.flatMap(({ check, status, detail, next }) => [
    hangingIndent(`${status.padEnd(4)}  ${check.padEnd(widest)}  `, escapeControls(detail), width),
    ...(next === '' ? [] : [hangingIndent(`${' '.repeat(widest + 8)}next: `, escapeControls(next), width)]),
  ]);
  printer.lines(await Promise.all(lines));
}

function checkSettings({ settings }: Context): Finding {
  const profile = settings.profileName;
  const { isProtected, readOnly, maxChanges } = resolveSafetyRules(settings);
  const rules = [
    ...(isProtected ? ['protected'] : []),
    ...(readOnly ? ['read-only'] : []),
    ...(maxChanges ? [`max-changes ${maxChanges.count}`] : []),
  ];
  const { origin } = settings.get('base-url') ?? {};
  const name = profile ? `profile ${profile.value} (${profile.origin})` : 'no profile';
  return ok('settings', `${[name, ...rules].join(', ')}; server from ${origin}`);
}

/** Runs the server checks; an unreachable server is the only finding. */
async function checkServer(context: Context): Promise<Finding[]> {
  const { environment } = context;
  try {
    const startedAt = environment.now();
    const health = await readPath(context, '/healthz');
    const endedAt = environment.now();
    const testClock = readTestClock(await readPath(context, '/_iam/clock'));
    const readiness = await readPath(context, '/readyz');
    return [
      checkReachable(context, health, endedAt - startedAt),
      checkEncryption(context),
      checkClock(health, startedAt, endedAt, testClock),
      checkStore(readiness),
      ...[health, readiness].flatMap(checkOtherStates),
      checkVersion(context, await readPath(context, '/openapi.json')),
      checkControlPlane(await readPath(context, '/_iam/settings')),
      ...(await checkSignIn(context, testClock.offsetMs)),
    ];
  } catch (error) {
    if (context.io.signal.aborted) throw error;
    const { message, hint } = createErrorReport(error, context.manifest);
    return [fail('server', message, hint ?? 'See `iam config explain base-url`.')];
  }
}

/** Reads a path without credentials, so that only the sign-in check depends on them. */
async function readPath(context: Context, path: string): Promise<ApiResponse> {
  const client = await context.connect();
  return client.direct.raw('GET', path, { anonymous: true, signal: context.io.signal });
}

function checkReachable({ settings }: Context, { status }: ApiResponse, durationMs: number): Finding {
  const baseUrl = resolveBaseUrl(settings);
  const proxy = resolveProxy(settings, baseUrl);
  const where = `${baseUrl}${proxy === undefined ? '' : ` through ${stripUserInfo(proxy)}`}`;
  if (status === 200) return ok('server', `${where} responded in ${durationMs} ms`);
  return fail(
    'server',
    `${where} returned ${status} for /healthz`,
    'Check that --base-url is the URL of the service, or contact its operator.',
  );
}

/** The connection must not show credentials to the network. */
function checkEncryption({ settings }: Context): Finding {
  const url = new URL(resolveBaseUrl(settings));
  if (url.protocol === 'https:') return ok('encryption', 'TLS; the certificate is valid for this host');
  if (isLoopbackUrl(url)) return ok('encryption', 'none needed on this machine');
  return warn('encryption', 'The connection is not encrypted.', 'Use an https URL for --base-url.');
}

/** Files with secrets must be readable by their owner only. Windows has no file modes. */
async function checkFiles({ environment }: Context): Promise<Finding> {
  const folder = findUserFolder(environment.variables, 'config');
  if (folder === undefined)
    return warn('files', 'This user has no home folder, so profiles and logins cannot be stored.', 'Set HOME.');
  const { stat } = await import('node:fs/promises');
  const file = getProfilePath(environment.variables);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return ok('files', `no profiles in ${file}`);
  if (process.platform === 'win32' || (found.mode & 0o077) === 0) return ok('files', `${file} is private`);
  const mode = (found.mode & 0o777).toString(8);
  return fail('files', `Other users can access ${file} (mode ${mode}).`, `Run chmod 600 ${singleQuote(file)}.`);
}

/** Folders that another user made or can write; that of profiles was read before. */
function checkFolders({ environment: { variables } }: Context): Finding[] {
  return (['cache', 'state'] as const).flatMap((kind) => {
    const problem = findUserFolderProblem(variables, kind);
    return problem ? [fail('files', `${problem.message}; it is not used.`, `${problem.hint}.`)] : [];
  });
}

const warnAfterMs = 5_000;
/** Above this difference tokens can appear expired or not yet valid. */
const failAfterMs = 60_000;

interface TestClock {
  /** By how much the clock for times and expiries is ahead of that of the machine; negative if it is behind. */
  readonly offsetMs: number;
  readonly frozen: boolean;
}

/** Reads the clock that `iam clock` moves. Without a readable control plane it counts as not moved. */
function readTestClock({ status, body }: ApiResponse): TestClock {
  const { offset, frozen } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  if (status !== 200 || typeof offset !== 'number') return { offsetMs: 0, frozen: false };
  return { offsetMs: offset * 1000, frozen: frozen === true };
}

/** Says that the clock was moved on purpose, in contrast to a machine whose clock is wrong. */
function checkTestClock({ offsetMs, frozen }: TestClock): Finding {
  if (!frozen && Math.abs(offsetMs) <= warnAfterMs) return ok('clock', 'The clocks are synchronized.');
  const moved = `${Math.round(Math.abs(offsetMs) / 1000)} s ${offsetMs > 0 ? 'ahead of' : 'behind'} its machine`;
  const state = `${moved}${frozen ? ' and frozen' : ''}`;
  return warn(
    'clock',
    `The machines are synchronized. The test clock of the server is ${state}, so expiry times are by that clock.`,
    'If this is not intended, run `iam clock reset`.',
  );
}

function checkClock({ headers }: ApiResponse, startedAt: number, endedAt: number, testClock: TestClock): Finding {
  const serverTime = Date.parse(headers.date ?? '');
  if (Number.isNaN(serverTime)) return warn('clock', 'The response has no Date header.', '');
  // The Date header has whole seconds and was written between the request and the response.
  const localTime = Math.min(Math.max(serverTime + 500, startedAt), endedAt);
  const difference = Math.max(0, Math.abs(serverTime + 500 - localTime) - 500);
  const offset = `${Math.round(difference / 1000)} s ${serverTime > localTime ? 'ahead of' : 'behind'} this machine`;
  if (difference <= warnAfterMs) return checkTestClock(testClock);
  const next = 'Synchronize the clocks with NTP.';
  return difference > failAfterMs
    ? fail('clock', `The server is ${offset}.`, next)
    : warn('clock', `The server is ${offset}.`, next);
}

function checkStore(response: ApiResponse): Finding {
  const { status } = response;
  const { store, problem } = readStates(response);
  if (status === 200) return ok('store', store === undefined ? 'ready' : String(store));
  if (status === 404) return warn('store', 'The server does not report the status of its store.', '');
  return fail(
    'store',
    `The server is not ready: ${String(store ?? status)}${problem === undefined ? '' : `: ${String(problem)}`}.`,
    'See the server log. With a folder, free disk space if needed and restart it; with PostgreSQL, it connects again by itself.',
  );
}

function readStates({ body }: ApiResponse): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : {};
}

/** The states that `checkReachable` and `checkStore` report. */
const reportedStates: readonly string[] = ['status', 'store', 'problem'];

/** What /healthz and /readyz report of parts whose failure does not stop the server, such as the audit log. */
const knownStates: Readonly<Record<string, { readonly healthy: string; readonly next: string }>> = {
  audit: {
    healthy: 'written',
    next: 'Changes are made without audit events. See the server log, and check free space and permissions of the file of --audit-log.',
  },
};

/** A state that this version does not know is shown as it is. */
function checkOtherStates(response: ApiResponse): Finding[] {
  const others = Object.entries(readStates(response)).filter(([name]) => !reportedStates.includes(name));
  return others.map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const known = Object.hasOwn(knownStates, name) ? knownStates[name] : undefined;
    return known === undefined || known.healthy === text ? ok(name, text) : warn(name, text, known.next);
  });
}

function checkVersion({ manifest }: Context, { status, body }: ApiResponse): Finding {
  const { info } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly info?: { readonly version?: unknown };
  };
  const serverVersion = status === 200 && typeof info?.version === 'string' ? info.version : undefined;
  if (serverVersion === undefined)
    return warn('version', `The CLI is ${manifest.version}; the server does not report its version.`, '');
  if (serverVersion === manifest.version) return ok('version', serverVersion);
  return warn(
    'version',
    `The CLI is ${manifest.version}, the server is ${serverVersion}.`,
    'Use the CLI version of the server; operations can differ.',
  );
}

function checkControlPlane({ status }: ApiResponse): Finding {
  if (status === 200 || status === 401 || status === 403)
    return ok(
      'control plane',
      status === 200 ? 'enabled, accessible without credentials' : 'enabled, requires authorization',
    );
  return warn(
    'control plane',
    'disabled',
    'Start the server without --disable-control-plane to use `iam inbox`, `iam sessions` and lists of users and clients.',
  );
}
