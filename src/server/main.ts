/**
 * The composition root of the server process: handles signals, and passes the system clock and the system's randomness to
 * the service. `iam serve` and `npm start` call `serve`, which resolves with the exit code.
 */
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { readFileTrust } from '../lib/file-trust.ts';
import { clearInterval, nextTurn, setInterval } from '../lib/host.ts';
import { maxSecretBytes, readTextFile, TextFileError } from '../lib/text-file.ts';
import { type AuditDeps, openAudit } from './audit/open.ts';
import { describeTextError } from './config/read-secret-file.ts';
import {
  type FlagValues,
  readSettings,
  SettingError,
  type Settings,
  type SettingsEnvironment,
  settingsTable,
} from './config/settings.ts';
import { systemClock } from './lib/clock.ts';
import { createLog, type Log } from './lib/log.ts';
import { systemRandom } from './lib/random.ts';
import { type ListenOptions, listen, type RunningServer } from './listen.ts';
import { readConfiguration } from './seed/configuration.ts';
import { SeedError } from './seed/error.ts';
import type { ReportHashes } from './seed/passwords.ts';
import { withSeedPlaces } from './seed/read-file.ts';
import type { SeedDocument } from './seed/schema.ts';
import { formatBanner, formatReadyLine } from './startup-banner.ts';
import { openStore } from './store/open.ts';
import { openExitCodes, StoreOpenError, toInterruptedStartError } from './store/open-error.ts';
import { StoreUnavailableError } from './store/store.ts';
import { PasswordHashingError } from './users/argon2.ts';

export { SettingError };

/** The credentials of the administrator client, for the profile of the CLI on the same machine. */
export interface LocalProfile {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The application client for user logins. */
  readonly userClientId: string;
}

/** The kind of a store, and the folder of one in files. */
export interface StoreLocation {
  readonly store: Settings['store'];
  readonly data?: string | undefined;
}

interface ServedStore extends StoreLocation {
  readonly url: string;
  readonly adminClientId: string;
}

interface Streams {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean | undefined };
}

/** The caller's signal handling during startup. */
interface SignalOwner {
  /** Aborted if a stop was already requested. */
  readonly signal: AbortSignal;
  /** Restores the default actions. */
  releaseSignals(): void;
}

export interface ServeOptions {
  /** By flag name without dashes, as in the settings table. */
  readonly flags: FlagValues;
  readonly environment: SettingsEnvironment;
  readonly io: Streams & Partial<SignalOwner>;
  /** Saves the administrator's credentials as a CLI profile. @returns a description of the location, for the banner. */
  saveProfile?(profile: LocalProfile, location: StoreLocation): Promise<string>;
  /** Updates the process and the URL in the CLI profile of a store that exists, if it has one. */
  updateProfile?(server: ServedStore): Promise<void>;
  /** Stops the server when the process that started it has ended. */
  readonly stopsWithParent?: boolean;
  /** The folder that PATH lacks so that the shell finds `iam`, for the banner. */
  readonly missingPathFolder?: string | undefined;
  /** Returns the word before an error, by default without colour. */
  formatErrorLabel?(label: string): Promise<string>;
}

const exitCodes = {
  usage: 2,
  other: 70,
  portTaken: 11,
  ...openExitCodes,
} as const;

/** SIGHUP comes when the terminal is closed. */
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * V8 allocates objects in old space if many that the same code created have outlived collections. Once it does so for a part
 * of a request, all that the part refers to lives until the next full collection, is copied twice, and counts as more that
 * outlives: collections then take a quarter of the time of a read (docs/bench.md).
 */
function letRequestsDieYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** Serves until one of the stop signals. @returns the exit code: 0 after a clean stop. */
export async function serve(options: ServeOptions): Promise<number> {
  const { io } = options;
  letRequestsDieYoung();
  const parent = options.stopsWithParent === true ? process.ppid : undefined;
  // A signal is delivered in the next turn; one that has arrived would be lost with the handler of the caller.
  await nextTurn();
  if (io.signal?.aborted) return 0;
  // Until the files are read a signal ends the process at once, as one of them can be a pipe whose writer is silent.
  io.releaseSignals?.();
  const configuration = await readConfiguration(options.flags, options.environment).catch((error: unknown) =>
    reportStartError(error, options),
  );
  if (typeof configuration === 'number') return configuration;
  // Before the ready line, as a caller may send a signal as soon as it reads it.
  const signal = waitForStopSignal(parent);
  try {
    const { settings, seed, seedFile } = configuration;
    const log = createLog(
      settings.logLevel,
      (line) => io.stderr.write(line),
      () => systemClock.now(),
    );
    const server = await withSeedPlaces(seedFile, () =>
      startServerProcess(settings, seed, {
        log,
        write: (line, onWritten) => io.stderr.write(line, onWritten),
        trust: readFileTrust(options.environment),
        reportHashes: io.stderr.isTTY ? createHashProgress(io.stderr) : undefined,
      }),
    );
    printWarnings(server, settings, { log, stderr: io.stderr });
    await printBanner(server, settings, options);
    // After the ready line, so that its first request need not wait for its code. That request reports a failure.
    if (!settings.disableControlPlane) void import('./control/control-plane.ts').catch(() => undefined);
    await signal.received;
    await server.stop();
    return 0;
  } catch (error) {
    return await reportStartError(error, options);
  } finally {
    signal.release();
  }
}

async function startServerProcess(
  settings: Settings,
  seed: SeedDocument | undefined,
  deps: AuditDeps & Pick<ListenOptions, 'reportHashes'>,
): Promise<RunningServer> {
  const { log, trust, reportHashes } = deps;
  const tls = await readTls(settings);
  const server = listen({
    settings,
    seed,
    reportHashes,
    tls,
    log,
    clock: systemClock,
    random: systemRandom,
    openStore: (identity, heap) => openStore(settings, identity, { log, heap, trust }),
    openAudit: () => openAudit(settings, deps),
  });
  if (settings.store !== 'postgres') return server;
  return server.catch((error: unknown) => {
    throw toInterruptedStartError(error);
  });
}

/**
 * Starts a service in memory on a free port of this machine, without rate limits and audit log, for `iam conformance`.
 * @throws SettingError for a flag that is not valid
 */
export async function startInMemory(flags: FlagValues, seed: unknown): Promise<RunningServer> {
  const fixed = { port: '0', store: 'memory', 'log-level': 'error', 'audit-log': 'off', 'disable-rate-limits': true };
  const settings = readSettings({ ...fixed, 'fast-passwords': true, ...flags }, {});
  const log = createLog(
    settings.logLevel,
    () => undefined,
    () => systemClock.now(),
  );
  const trust = readFileTrust({});
  const { SeedDocument: schema } = await import('./seed/schema.ts');
  return listen({
    settings,
    seed: await schema.parseAsync(seed),
    log,
    clock: systemClock,
    random: systemRandom,
    ref: false,
    openStore: (identity, heap) => openStore(settings, identity, { log, heap, trust }),
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
      `--tls-cert and --tls-key must be a certificate and its private key in PEM: ${(error as Error).message}`,
    );
  }
  return tls;
}

function readTlsFile(file: string): Promise<string> {
  return readTextFile(file, maxSecretBytes).catch((error: Error) => {
    const reason = error instanceof TextFileError ? describeTextError(file, error) : error.message;
    throw new SettingError(`--tls-cert and --tls-key must name readable files: ${reason}`);
  });
}

/** Shows how many passwords are hashed in a line of a terminal, which it clears at the end. */
export function createHashProgress(terminal: NodeJS.WritableStream): ReportHashes {
  let shown = -1;
  return (done, total) => {
    const percent = Math.floor((100 * done) / total);
    if (percent === shown) return;
    shown = percent;
    const text = done < total ? `Hashing the passwords of the seed: ${done} of ${total} (${percent} %)` : '';
    terminal.write(`\r${text}\u001b[K`);
  };
}

/** Prints warnings as text or, with --json, to the log. */
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
  const profile = await trySaveProfile(server, settings, options);
  if (settings.json) {
    options.io.stdout.write(formatReadyLine(server, settings, process.pid));
    return;
  }
  options.io.stdout.write(
    formatBanner(server, settings, {
      profile,
      missingPathFolder: options.missingPathFolder,
      isDefaultStore: isDefaultStore(settings),
    }),
  );
}

/**
 * Saves the profile only for the default store and a generated secret: configured secrets are managed elsewhere. The banner
 * shows the credentials only once, so it must be printed even if the profile cannot be saved.
 */
async function trySaveProfile(
  server: RunningServer,
  settings: Settings,
  { saveProfile, updateProfile, io }: ServeOptions,
): Promise<string | undefined> {
  const { url: baseUrl, bootstrapResult } = server;
  const { adminClientId: clientId, adminClientSecret: clientSecret, appClientId: userClientId } = bootstrapResult;
  const { store, data } = settings;
  const location = store === 'file' ? { store, data: path.resolve(data) } : { store };
  try {
    if (clientSecret === undefined) await updateProfile?.({ url: baseUrl, adminClientId: clientId, ...location });
    else if (isDefaultStore(settings) && !settings.json)
      return await saveProfile?.({ baseUrl, clientId, clientSecret, userClientId }, location);
  } catch (error) {
    io.stderr.write(`warning: the credentials were not saved as a profile: ${(error as Error).message}\n`);
  }
  return undefined;
}

function isDefaultStore({ store, data }: Settings): boolean {
  return store === 'file' && path.resolve(data) === path.resolve(settingsTable.data.default ?? '');
}

const parentCheckMilliseconds = 250;

/**
 * Calls `onEnd` once the parent process has ended. An orphan gets another parent, except on Windows. Standard input
 * says less: it is at its end from the start if the parent passed none.
 */
function watchParent(parent: number, onEnd: () => void): NodeJS.Timeout {
  return setInterval(() => {
    if (process.ppid !== parent || !isAlive(parent)) onEnd();
  }, parentCheckMilliseconds).unref();
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * The first signal, or the end of a watched parent, requests a clean stop; a second signal ends the process immediately.
 */
function waitForStopSignal(parent: number | undefined): { received: Promise<void>; release(): void } {
  let release = () => {};
  const received = new Promise<void>((resolve) => {
    const stop = () => {
      release();
      resolve();
    };
    const watch = parent === undefined ? undefined : watchParent(parent, stop);
    release = () => {
      clearInterval(watch);
      for (const name of stopSignals) process.off(name, stop);
    };
    for (const name of stopSignals) process.on(name, stop);
  });
  return { received, release };
}

/** Prints a one-line error. @returns the exit code. */
async function reportStartError(error: unknown, { io, formatErrorLabel }: ServeOptions): Promise<number> {
  const { message, code } = describeStartError(error);
  const label = 'error:';
  io.stderr.write(`${(await formatErrorLabel?.(label)) ?? label} ${message}\n`);
  return code;
}

function describeStartError(error: unknown): { message: string; code: number } {
  if (error instanceof SettingError || error instanceof SeedError)
    return { message: error.message, code: exitCodes.usage };
  if (error instanceof StoreOpenError) return { message: error.message, code: exitCodes[error.kind] };
  if (error instanceof PasswordHashingError) return { message: error.message, code: exitCodes.other };
  if (error instanceof StoreUnavailableError) return { message: describeUnwritableStore(error), code: exitCodes.other };
  const { code, syscall, port, address, hostname } = error as NodeJS.ErrnoException & {
    port?: number;
    address?: string;
    hostname?: string;
  };
  if (syscall === 'listen' && code === 'EADDRINUSE')
    return {
      message: `port ${port} is already in use on ${address}; stop the other process, or choose another port with --port (0 selects a free one)`,
      code: exitCodes.portTaken,
    };
  if (syscall === 'getaddrinfo')
    return { message: `--host ${hostname} is not an address of this machine: ${code}`, code: exitCodes.usage };
  if (syscall === 'listen')
    return { message: `can't listen on ${address}:${port}: ${code}`, code: exitCodes.portTaken };
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error), code: exitCodes.other };
}

/** The bootstrap may fail to write to a full or failed disk. */
function describeUnwritableStore({ message, cause }: StoreUnavailableError): string {
  const reason = cause instanceof Error ? cause.message : message;
  return `can't write to the store: ${reason}. Check the disk, then start again; no acknowledged change is lost`;
}
