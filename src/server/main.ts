/**
 * The composition root of a process of its own: of the server, only this knows the process, its environment, the disk and
 * the real clock. `iam serve` and `npm start` call `serve`; it resolves with the exit code after a clean stop.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type AuditDeps, openAudit } from './audit/open.ts';
import { systemClock } from './clock.ts';
import { listen, type RunningServer } from './http/listen.ts';
import { createLog, type Log } from './log.ts';
import { openStore } from './open-store.ts';
import { systemRandom } from './random.ts';
import { SeedError } from './seed/error.ts';
import type { SeedDocument } from './seed/schema.ts';
import { readSettings, SettingError, type Settings, settingsTable } from './settings.ts';
import { formatBanner, formatReadyLine } from './startup-banner.ts';
import { openExitCodes, StoreOpenError } from './store/json/open-error.ts';
import { StoreUnavailableError } from './store/store.ts';

type Flags = Readonly<Record<string, string | boolean | undefined>>;
type Environment = Readonly<Record<string, string | undefined>>;

/** The credentials of the administrator client, for the profile of the CLI on the same machine. */
export interface LocalProfile {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The application client, which users sign in through. */
  readonly userClientId: string;
}

interface Streams {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

/** Whoever looked after signals until now. */
interface SignalOwner {
  /** Aborted where a stop was asked for already. */
  readonly signal: AbortSignal;
  /** To be called once signals are looked after here: one that came in between would be lost. */
  releaseSignals(): void;
}

export interface ServeOptions {
  /** By flag name without dashes, as in the settings table. */
  readonly flags: Flags;
  readonly environment: Environment;
  readonly io: Streams & Partial<SignalOwner>;
  /** Keeps the administrator's credentials where the CLI finds them. @returns where that is, for the person to read. */
  saveProfile?(profile: LocalProfile): Promise<string>;
}

const exitCodes = {
  usage: 2,
  other: 1,
  portTaken: 11,
  ...openExitCodes,
} as const;

/** Serves until SIGTERM or SIGINT. @returns the exit code: 0 after a clean stop. */
export async function serve(options: ServeOptions): Promise<number> {
  const { io } = options;
  // From the beginning: whoever waits for the line that says ready may send a signal with it.
  const signal = waitForStopSignal();
  io.releaseSignals?.();
  try {
    if (io.signal?.aborted) return 0;
    const { settings, seed } = await readConfiguration(options);
    const log = createLog(
      settings.logLevel,
      (line) => io.stderr.write(line),
      () => systemClock.now(),
    );
    const server = await startServerProcess(settings, seed, { log, write: (line) => io.stderr.write(line) });
    printWarnings(server, settings, { log, stderr: io.stderr });
    await printBanner(server, settings, options);
    await signal.received;
    await server.stop();
    return 0;
  } catch (error) {
    return reportStartError(error, io.stderr);
  } finally {
    signal.release();
  }
}

async function readConfiguration({
  flags,
  environment,
}: ServeOptions): Promise<{ settings: Settings; seed?: SeedDocument }> {
  const settings = readSettings(flags, environment);
  if (settings.seed === undefined) return { settings };
  const text = await readFile(settings.seed, 'utf8').catch((error: Error) => {
    throw new SeedError(`the seed can't be read: ${error.message}`);
  });
  // The reader of YAML is a large part of the server, and most starts have no seed.
  const { parseSeed: readSeed } = await import('./seed/parse.ts');
  const seed = await readSeed(text, settings.seed);
  return { settings: readSettings(flags, environment, seed.settings), seed };
}

async function startServerProcess(
  settings: Settings,
  seed: SeedDocument | undefined,
  parts: AuditDeps,
): Promise<RunningServer> {
  const { log } = parts;
  const tls = await readTls(settings);
  return listen({
    settings,
    seed,
    tls,
    log,
    clock: systemClock,
    random: systemRandom,
    openStore: () => openStore(settings, log),
    openAudit: () => openAudit(settings, parts),
  });
}

async function readTls({ tlsCert, tlsKey }: Settings): Promise<{ cert: string; key: string } | undefined> {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const [cert, key] = await Promise.all([tlsCert, tlsKey].map((file) => readTlsFile(file)));
  const tls = { cert: cert ?? '', key: key ?? '' };
  const { createSecureContext } = await import('node:tls');
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new SettingError(
      `--tls-cert and --tls-key are no certificate and its key in PEM: ${(error as Error).message}`,
    );
  }
  return tls;
}

function readTlsFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new SettingError(`--tls-cert and --tls-key name files: ${error.message}`);
  });
}

/** In words for a person or, where programs read the output, in the log. */
function printWarnings(
  { warnings }: RunningServer,
  { json }: Settings,
  to: { log: Log; stderr: NodeJS.WritableStream },
): void {
  for (const warning of warnings) {
    if (json) to.log.warn({}, warning);
    else to.stderr.write(`warning: ${warning}\n`);
  }
}

async function printBanner(server: RunningServer, settings: Settings, options: ServeOptions): Promise<void> {
  const profile = settings.json ? undefined : await saveProfile(server, settings, options);
  const text = settings.json ? formatReadyLine(server, settings, process.pid) : formatBanner(server, settings, profile);
  options.io.stdout.write(text);
}

/** Only for the store everybody has, and only where the secret was made here: other secrets are in somebody's keeping. */
async function saveProfile(
  server: RunningServer,
  settings: Settings,
  options: ServeOptions,
): Promise<string | undefined> {
  const { adminClientId, adminClientSecret, appClientId } = server.bootstrapResult;
  const isDefault =
    settings.store === 'file' && path.resolve(settings.data) === path.resolve(settingsTable.data.default ?? '');
  if (!isDefault || adminClientSecret === undefined) return undefined;
  return options.saveProfile?.({
    baseUrl: server.url,
    clientId: adminClientId,
    clientSecret: adminClientSecret,
    userClientId: appClientId,
  });
}

/** The first signal asks for a clean stop; a second one ends the process as it always does. */
function waitForStopSignal(): { received: Promise<void>; release(): void } {
  let release = () => {};
  const received = new Promise<void>((resolve) => {
    const stop = () => {
      release();
      resolve();
    };
    release = () => {
      for (const name of ['SIGTERM', 'SIGINT']) process.off(name, stop);
    };
    for (const name of ['SIGTERM', 'SIGINT']) process.on(name, stop);
  });
  return { received, release };
}

/** One clear line, and the exit code that goes with it. */
function reportStartError(error: unknown, stderr: NodeJS.WritableStream): number {
  const { message, code } = describeStartError(error);
  stderr.write(`error: ${message}\n`);
  return code;
}

function describeStartError(error: unknown): { message: string; code: number } {
  if (error instanceof SettingError || error instanceof SeedError)
    return { message: error.message, code: exitCodes.usage };
  if (error instanceof StoreOpenError) return { message: error.message, code: exitCodes[error.kind] };
  if (error instanceof StoreUnavailableError) return { message: describeUnwritableStore(error), code: exitCodes.other };
  const { code, syscall, port, address, hostname } = error as NodeJS.ErrnoException & {
    port?: number;
    address?: string;
    hostname?: string;
  };
  if (syscall === 'listen' && code === 'EADDRINUSE')
    return {
      message: `port ${port} is taken on ${address}; stop what uses it, or choose another with --port (0 takes any free one)`,
      code: exitCodes.portTaken,
    };
  if (syscall === 'getaddrinfo')
    return { message: `--host ${hostname} is no address of this machine: ${code}`, code: exitCodes.usage };
  if (syscall === 'listen')
    return { message: `can't listen on ${address}:${port}: ${code}`, code: exitCodes.portTaken };
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error), code: exitCodes.other };
}

/** What a first start writes, and others do where a setting names something new, may find a disk that takes nothing. */
function describeUnwritableStore({ message, cause }: StoreUnavailableError): string {
  const reason = cause instanceof Error ? cause.message : message;
  return `the store can't be written: ${reason}. See to the disk, then start again; nothing that was answered is lost`;
}
