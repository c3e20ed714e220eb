/** `iam doctor`: whether everything is as it has to be, and what to do about what is not. */
import type { Command } from 'commander';
import type { Answer } from '../../client/answer.ts';
import { addLeaf, type LeafText, runs } from '../leaf.ts';
import { baseUrlOf } from '../runtime/connection.ts';
import type { Context, Surroundings } from '../runtime/context.ts';
import { escapeControls } from '../runtime/control-characters.ts';
import { QuietExit } from '../runtime/failures.ts';
import { widthOf } from '../runtime/io.ts';
import { proxyFor } from '../runtime/network.ts';
import { withoutUserInfo } from '../runtime/redact.ts';
import { reportOf } from '../runtime/report.ts';
import { safetyOf } from '../runtime/safety.ts';
import { profileName, resolve } from '../runtime/settings.ts';
import { hanging } from '../runtime/table.ts';
import { type Finding, fail, ok, warn } from './doctor/finding.ts';
import { signInFindings } from './doctor/sign-in.ts';

export const doctorText: LeafText = {
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
export function addDoctor(program: Command, surroundings: Surroundings): void {
  runs(addLeaf(program, 'doctor', doctorText), surroundings, doctor);
}

async function doctor(context: Context): Promise<void> {
  const findings = [settingsFinding(context), ...(await serverFindings(context))];
  await print(context, findings);
  if (findings.some(({ status }) => status === 'fail')) throw new QuietExit(1);
}

/** What to do must not be cut, so that people get it on a line of its own. */
async function print({ printer, sources, io }: Context, findings: readonly Finding[]): Promise<void> {
  if (!printer.isForPeople || printer.format !== 'table' || sources.options.columns !== undefined)
    return printer.value(findings);
  const widest = Math.max(...findings.map(({ check }) => check.length));
  const width = widthOf(io.stdout);
  const lines = findings.flatMap(({ check, status, detail, next }) => [
    hanging(`${status.padEnd(4)}  ${check.padEnd(widest)}  `, escapeControls(detail), width),
    ...(next === '' ? [] : [hanging(`${' '.repeat(widest + 8)}next: `, escapeControls(next), width)]),
  ]);
  printer.lines(lines);
}

function settingsFinding({ sources }: Context): Finding {
  const profile = profileName(sources);
  const { isProtected, readOnly, maxChanges } = safetyOf(sources);
  const rules = [
    ...(isProtected ? ['protected'] : []),
    ...(readOnly ? ['read-only'] : []),
    ...(maxChanges ? [`at most ${maxChanges.count} changes`] : []),
  ];
  const { origin } = resolve('base-url', sources) ?? {};
  const name = profile ? `profile ${profile.value} (${profile.origin})` : 'no profile';
  return ok('settings', `${[name, ...rules].join(', ')}; server from ${origin}`);
}

/** What is there of the server; where it is out of reach nothing else can be said. */
async function serverFindings(context: Context): Promise<Finding[]> {
  const { environment } = context;
  try {
    const startedAt = environment.now();
    const health = await ask(context, '/healthz');
    const endedAt = environment.now();
    return [
      reachable(context, health, endedAt - startedAt),
      clockFinding(health, startedAt, endedAt),
      storeFinding(await ask(context, '/readyz')),
      versionFinding(context, await ask(context, '/openapi.json')),
      controlFinding(await ask(context, '/_iam/settings')),
      ...(await signInFindings(context)),
    ];
  } catch (error) {
    if (context.io.signal.aborted) throw error;
    const { message, fix } = reportOf(error, context.manifest);
    return [fail('server', message, fix ?? 'See `iam config explain base-url`.')];
  }
}

/** Without credentials: nothing but the sign-in is to depend on them. */
async function ask(context: Context, path: string): Promise<Answer> {
  const client = await context.connect();
  return client.raw('GET', path, { anonymous: true, signal: context.io.signal });
}

function reachable({ sources }: Context, { status }: Answer, took: number): Finding {
  const baseUrl = baseUrlOf(sources);
  const proxy = proxyFor(sources, baseUrl);
  const where = `${baseUrl}${proxy === undefined ? '' : ` through ${withoutUserInfo(proxy)}`}`;
  if (status === 200) return ok('server', `${where} answers after ${took} ms`);
  return fail(
    'server',
    `${where} answers ${status} to /healthz`,
    'See whether --base-url names the service, and ask who runs it.',
  );
}

const worthTelling = 5_000;
/** Beyond this a token can seem to be of the future, or over at once. */
const harmful = 60_000;

function clockFinding({ headers }: Answer, startedAt: number, endedAt: number): Finding {
  const theirs = Date.parse(headers.date ?? '');
  if (Number.isNaN(theirs)) return warn('clock', 'The server does not tell its time.', '');
  // It has whole seconds, and was read at some time in between.
  const ours = Math.min(Math.max(theirs + 500, startedAt), endedAt);
  const apart = Math.max(0, Math.abs(theirs + 500 - ours) - 500);
  const words = `${Math.round(apart / 1000)} s ${theirs > ours ? 'ahead of' : 'behind'} this machine`;
  if (apart <= worthTelling) return ok('clock', 'The clocks agree.');
  const next = 'Set the clocks by NTP.';
  return apart > harmful
    ? fail('clock', `The server is ${words}.`, next)
    : warn('clock', `The server is ${words}.`, next);
}

function storeFinding({ status, body }: Answer): Finding {
  const { store } = (typeof body === 'object' && body !== null ? body : {}) as { readonly store?: unknown };
  if (status === 200) return ok('store', store === undefined ? 'ready' : String(store));
  if (status === 404) return warn('store', 'The server does not tell of its store.', '');
  return fail(
    'store',
    `The server is not ready: ${String(store ?? status)}.`,
    'See its log; free space on its disk, then start it again.',
  );
}

function versionFinding({ manifest }: Context, { status, body }: Answer): Finding {
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

function controlFinding({ status }: Answer): Finding {
  if (status === 200 || status === 401 || status === 403)
    return ok('control plane', status === 200 ? 'there, and open here' : 'there, for who may');
  return warn(
    'control plane',
    'not there',
    '`iam inbox`, `iam sessions` and lists of users and clients need a server without --no-control.',
  );
}
