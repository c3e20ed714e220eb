/** `iam doctor`: whether everything is as it has to be, and what to do about what is not. */
import type { Command } from 'commander';
import type { ApiResponse } from '../../client/response.ts';
import { addCommand, type CommandDescription, setAction } from '../command.ts';
import { resolveBaseUrl } from '../runtime/connection.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { escapeControls } from '../runtime/control-characters.ts';
import { createErrorReport } from '../runtime/error-report.ts';
import { QuietExit } from '../runtime/errors.ts';
import { getTerminalWidth } from '../runtime/io.ts';
import { resolveProxy } from '../runtime/network.ts';
import { stripUserInfo } from '../runtime/redact.ts';
import { resolveSafetyRules } from '../runtime/safety.ts';
import { resolveProfileName, resolveSetting } from '../runtime/settings.ts';
import { hangingIndent } from '../runtime/table.ts';
import { type Finding, fail, ok, warn } from './doctor/finding.ts';
import { checkSignIn } from './doctor/sign-in.ts';

export const doctorText: CommandDescription = {
  title: 'Checks settings, server and sign-in, and says what to do',
  description:
    'Asks the server for its health, its clock and its version, and signs in with the credentials in use. Nothing is changed. Exit code 1 where a check failed.',
  effect: 'read',
  examples: [
    { title: 'A table', command: '' },
    { title: 'Another profile, as JSON', command: '--profile staging -o json' },
  ],
};

/** Adds the command. */
export function addDoctor(program: Command, runtime: CliRuntime): void {
  setAction(addCommand(program, 'doctor', doctorText), runtime, doctor);
}

async function doctor(context: Context): Promise<void> {
  const findings = [checkSettings(context), ...(await checkServer(context))];
  await print(context, findings);
  if (findings.some(({ status }) => status === 'fail')) throw new QuietExit(1);
}

/** What to do must not be cut, so that people get it on a line of its own. */
async function print({ printer, sources, io }: Context, findings: readonly Finding[]): Promise<void> {
  if (!printer.isForPeople || printer.format !== 'table' || sources.options.columns !== undefined)
    return printer.value(findings);
  const widest = Math.max(...findings.map(({ check }) => check.length));
  const width = getTerminalWidth(io.stdout);
  const lines = findings.flatMap(({ check, status, detail, next }) => [
    hangingIndent(`${status.padEnd(4)}  ${check.padEnd(widest)}  `, escapeControls(detail), width),
    ...(next === '' ? [] : [hangingIndent(`${' '.repeat(widest + 8)}next: `, escapeControls(next), width)]),
  ]);
  printer.lines(lines);
}

function checkSettings({ sources }: Context): Finding {
  const profile = resolveProfileName(sources);
  const { isProtected, readOnly, maxChanges } = resolveSafetyRules(sources);
  const rules = [
    ...(isProtected ? ['protected'] : []),
    ...(readOnly ? ['read-only'] : []),
    ...(maxChanges ? [`at most ${maxChanges.count} changes`] : []),
  ];
  const { origin } = resolveSetting('base-url', sources) ?? {};
  const name = profile ? `profile ${profile.value} (${profile.origin})` : 'no profile';
  return ok('settings', `${[name, ...rules].join(', ')}; server from ${origin}`);
}

/** What is there of the server; where it is out of reach nothing else can be said. */
async function checkServer(context: Context): Promise<Finding[]> {
  const { environment } = context;
  try {
    const startedAt = environment.now();
    const health = await readPath(context, '/healthz');
    const endedAt = environment.now();
    return [
      checkReachable(context, health, endedAt - startedAt),
      checkClock(health, startedAt, endedAt),
      checkStore(await readPath(context, '/readyz')),
      checkVersion(context, await readPath(context, '/openapi.json')),
      checkControlPlane(await readPath(context, '/_iam/settings')),
      ...(await checkSignIn(context)),
    ];
  } catch (error) {
    if (context.io.signal.aborted) throw error;
    const { message, hint } = createErrorReport(error, context.manifest);
    return [fail('server', message, hint ?? 'See `iam config explain base-url`.')];
  }
}

/** Without credentials: nothing but the sign-in is to depend on them. */
async function readPath(context: Context, path: string): Promise<ApiResponse> {
  const client = await context.connect();
  return client.raw('GET', path, { anonymous: true, signal: context.io.signal });
}

function checkReachable({ sources }: Context, { status }: ApiResponse, took: number): Finding {
  const baseUrl = resolveBaseUrl(sources);
  const proxy = resolveProxy(sources, baseUrl);
  const where = `${baseUrl}${proxy === undefined ? '' : ` through ${stripUserInfo(proxy)}`}`;
  if (status === 200) return ok('server', `${where} answers after ${took} ms`);
  return fail(
    'server',
    `${where} answers ${status} to /healthz`,
    'See whether --base-url names the service, and ask who runs it.',
  );
}

const warnAfterMs = 5_000;
/** Beyond this a token can seem to be of the future, or over at once. */
const failAfterMs = 60_000;

function checkClock({ headers }: ApiResponse, startedAt: number, endedAt: number): Finding {
  const theirs = Date.parse(headers.date ?? '');
  if (Number.isNaN(theirs)) return warn('clock', 'The server does not tell its time.', '');
  // It has whole seconds, and was read at some time in between.
  const ours = Math.min(Math.max(theirs + 500, startedAt), endedAt);
  const apart = Math.max(0, Math.abs(theirs + 500 - ours) - 500);
  const words = `${Math.round(apart / 1000)} s ${theirs > ours ? 'ahead of' : 'behind'} this machine`;
  if (apart <= warnAfterMs) return ok('clock', 'The clocks agree.');
  const next = 'Set the clocks by NTP.';
  return apart > failAfterMs
    ? fail('clock', `The server is ${words}.`, next)
    : warn('clock', `The server is ${words}.`, next);
}

function checkStore({ status, body }: ApiResponse): Finding {
  const { store } = (typeof body === 'object' && body !== null ? body : {}) as { readonly store?: unknown };
  if (status === 200) return ok('store', store === undefined ? 'ready' : String(store));
  if (status === 404) return warn('store', 'The server does not tell of its store.', '');
  return fail(
    'store',
    `The server is not ready: ${String(store ?? status)}.`,
    'See its log; free space on its disk, then start it again.',
  );
}

function checkVersion({ manifest }: Context, { status, body }: ApiResponse): Finding {
  const { info } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly info?: { readonly version?: unknown };
  };
  const theirs = status === 200 && typeof info?.version === 'string' ? info.version : undefined;
  if (theirs === undefined)
    return warn('version', `This command is ${manifest.version}; the server does not tell its own.`, '');
  if (theirs === manifest.version) return ok('version', theirs);
  return warn(
    'version',
    `This command is ${manifest.version}, the server ${theirs}.`,
    'Use the command that belongs to the server; operations may differ.',
  );
}

function checkControlPlane({ status }: ApiResponse): Finding {
  if (status === 200 || status === 401 || status === 403)
    return ok('control plane', status === 200 ? 'there, and open here' : 'there, for who may');
  return warn(
    'control plane',
    'not there',
    '`iam inbox`, `iam sessions` and lists of users and clients need a server without --disable-control-plane.',
  );
}
