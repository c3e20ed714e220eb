/** `startServer`: the composition root of servers that run in the process of a test. */
import { InputError } from '../client/index.ts';
import { getAbortReason } from '../client/transport.ts';
import { type FileTrust, readFileTrust } from '../lib/file-trust.ts';
import { openAudit } from '../server/audit/open.ts';
import type { WriteLine } from '../server/audit/stream-sink.ts';
import { assertTrustedKeys } from '../server/config/read-secret-file.ts';
import {
  readSettings,
  type Setting,
  SettingError,
  type SettingOrigins,
  type Settings,
  settingsTable,
} from '../server/config/settings.ts';
import { type AdjustableClock, validateClockTime } from '../server/lib/adjustable-clock.ts';
import { processClock, systemClock } from '../server/lib/clock.ts';
import { createSequentialIds } from '../server/lib/ids.ts';
import { createLog, type Log } from '../server/lib/log.ts';
import { systemRandom } from '../server/lib/random.ts';
import { type ListenOptions, listen } from '../server/listen.ts';
import { withSeedPlaces } from '../server/seed/read-file.ts';
import type { SeedDocument } from '../server/seed/schema.ts';
import { readTables } from '../server/snapshots/dump.ts';
import { openStore } from '../server/store/open.ts';
import { assertKnownKeys } from './assert-known-keys.ts';
import { type DateInput, parseDate } from './clock.ts';
import { createIamServer, type IamServer } from './iam-server.ts';
import type { SeedInput, SettingValues } from './library-types.ts';
import { fileOf, readSeedInput } from './seed-input.ts';
import type { ServerCredentials } from './server-credentials.ts';
import { isTestScope, runAfterTest, type TestScope } from './test-scope.ts';

export interface StartOptions {
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** A seed document, or the path of a seed file (YAML or JSON). */
  readonly seed?: string | SeedInput | undefined;
  /** Default: in memory. Otherwise the folder of a store on disk, whose administrator gets new secrets. */
  readonly store?: 'memory' | { readonly data: string } | undefined;
  readonly settings?: SettingValues | undefined;
  /** Fixed credentials; all others are generated. */
  readonly credentials?: Partial<ServerCredentials> | undefined;
  /**
   * The start time; 'frozen' stops the clock at the time of the start. 'process' follows the `Date` of the process, which a
   * test can fake; other clocks ignore a fake one.
   */
  readonly clock?:
    | 'frozen'
    | 'process'
    | DateInput
    | { readonly at?: DateInput; readonly frozen?: boolean }
    | undefined;
  /**
   * 'sequential' gives entities the ids 000000000000000000000001 and so on, for snapshots; only with the store in memory.
   * Secrets and tokens stay random. Default: 'random'.
   */
  readonly ids?: 'random' | 'sequential' | undefined;
  /** Receives the log lines. Default: errors are written to standard error. */
  readonly log?: ((line: string) => void) | undefined;
  /** Stops the server when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts a service in this process and resolves when it accepts requests. Several isolated servers can run concurrently.
 * A server does not keep the process running.
 * @throws SettingError (an option), SeedError, the reason of an aborted signal, and errors of listening and of
 * opening the store.
 */
export function startServer(options?: StartOptions): Promise<IamServer>;
/** Starts a service for one test, the context of node:test or vitest, and stops it when the test has finished. */
export function startServer(test: TestScope, options?: StartOptions): Promise<IamServer>;
export async function startServer(first: StartOptions | TestScope = {}, second?: StartOptions): Promise<IamServer> {
  if (!isTestScope(first)) return startWithOptions(first);
  const starting = startWithOptions(second ?? {});
  // Registered before the start ends: a test that has timed out by then runs nothing more.
  runAfterTest(first, async () => (await starting.catch(() => undefined))?.stop());
  return starting;
}

async function startWithOptions(options: StartOptions): Promise<IamServer> {
  assertOptions(options);
  const { signal } = options;
  if (signal?.aborted) throw getAbortReason(signal);
  const stop = () => void iam.stop();
  const seed = options.seed === undefined ? undefined : await readSeedInput(options.seed);
  const settings = buildSettings(options, seed);
  const log = createServerLog(options, settings);
  const trust = readFileTrust({});
  assertTrustedKeys(settings, trust);
  const clock = options.clock === 'process' ? processClock : systemClock;
  const base = { settings, log, clock, random: systemRandom };
  const iam: IamServer = await withSeedPlaces(fileOf(options.seed), () =>
    startIamServer(
      {
        ...base,
        ref: false,
        seed,
        prepareClock: createClockSetup(options.clock),
        ids: options.ids === 'sequential' ? createSequentialIds(clock) : undefined,
        openStore: (identity, heap) => openStore(settings, identity, { log, heap, trust }),
        openAudit: createAuditOpener(log, trust, options),
      },
      options.credentials ?? {},
      () => signal?.removeEventListener('abort', stop),
    ),
  );
  signal?.addEventListener('abort', stop);
  if (!signal?.aborted) return iam;
  await iam.stop();
  throw getAbortReason(signal);
}

const optionNames: Readonly<Record<keyof StartOptions, true>> = {
  port: true,
  host: true,
  seed: true,
  store: true,
  settings: true,
  credentials: true,
  clock: true,
  ids: true,
  log: true,
  signal: true,
};

const clockNames = { at: true, frozen: true };

/** Validates options of JavaScript callers; a wrong store would use the default folder. @throws SettingError. */
function assertOptions(options: StartOptions): void {
  assertKnownKeys('startServer', options, optionNames);
  const { clock, log, signal } = options;
  if (typeof clock === 'object' && !(clock instanceof Date)) assertKnownKeys('clock', clock, clockNames);
  if (log !== undefined && typeof log !== 'function') throw new SettingError('log: must be a function');
  if (signal !== undefined && typeof signal?.addEventListener !== 'function')
    throw new SettingError('signal: must be an AbortSignal');
  assertKnownKeys('credentials', options.credentials ?? {}, credentialVariables);
  assertKnownKeys('settings', options.settings ?? {}, settingNames());
  const { store = 'memory' } = options;
  if (store !== 'memory' && typeof store?.data !== 'string')
    throw new SettingError("store: must be 'memory' or { data: FOLDER }");
  const { ids = 'random' } = options;
  if (!['random', 'sequential'].includes(ids)) throw new SettingError("ids: must be 'random' or 'sequential'");
  if (ids === 'sequential' && store !== 'memory')
    throw new SettingError(
      "ids: 'sequential' is for the store 'memory', since a store on disk has ids of earlier starts",
    );
}

function createAuditOpener(
  log: Log,
  trust: FileTrust,
  { log: write = () => undefined }: StartOptions,
): NonNullable<ListenOptions['openAudit']> {
  const writeLine: WriteLine = (line, onWritten) => {
    write(line);
    onWritten();
  };
  return (settings) => openAudit(settings, { log, trust, write: writeLine });
}

type InternalStartOptions = ListenOptions & {
  prepareClock(clock: AdjustableClock): void;
};

async function startIamServer(
  options: InternalStartOptions,
  fixed: Partial<ServerCredentials>,
  onStop?: () => void,
): Promise<IamServer> {
  const service = await listen(options);
  options.ids?.sequence?.markStart();
  // The bootstrap result contains only generated secrets.
  const credentials = { ...fixed, ...service.bootstrapResult } as ServerCredentials;
  return createIamServer({
    service,
    credentials,
    onStop,
    async startFork({ store, prepareClock, onStop: onForkStop }) {
      const initial = await store.fork();
      return startIamServer(
        {
          ...options,
          settings: forkSettings(options.settings),
          seed: undefined,
          prepareClock,
          ids: options.ids?.sequence?.fork(),
          openStore: async () => store,
          readInitialState: () => readTables(initial),
        },
        credentials,
        onForkStop,
      );
    },
  });
}

/** The store of a fork is already initialized, so bootstrap settings are cleared. */
function forkSettings(settings: Settings): Settings {
  const noBootstrap = { resetAdmin: false, adminClientSecret: undefined, adminPassword: undefined };
  // A proxy leads to the origin only.
  return { ...settings, ...noBootstrap, baseUrl: undefined, port: 0, store: 'memory' };
}

function buildSettings({ port = 0, host, store = 'memory', settings, credentials }: StartOptions, seed?: SeedDocument) {
  const storeSettings = store === 'memory' ? { store } : { store: 'file', data: store.data, 'reset-admin': true };
  const values = { 'log-level': 'error', ...settings, ...(host === undefined ? {} : { host }), port, ...storeSettings };
  const flags = Object.entries(values).map(([name, value]) => [name, flagText(value)]);
  const read = readSettings(Object.fromEntries(flags), buildEnvironment(credentials ?? {}), seed?.settings, origins);
  if (read.tlsCert === undefined) return read;
  throw new SettingError('tls-cert: an in-process server supports HTTP only');
}

/** An empty list counts as unset: as text it would be a flag without a value. */
function flagText(value: unknown): string | undefined {
  return value === undefined || (Array.isArray(value) && value.length === 0) ? undefined : String(value);
}

function settingNames(): Readonly<Record<string, true>> {
  const names = Object.values<Setting>(settingsTable).flatMap(({ name, flag }) => (flag ? [name] : []));
  return Object.fromEntries(names.map((name) => [name, true]));
}

/** Credentials are passed as environment variables; the environment of the process is not used. */
const credentialVariables: Readonly<Record<keyof ServerCredentials, string>> = {
  adminClientId: 'IAM_ADMIN_CLIENT_ID',
  adminClientSecret: 'IAM_ADMIN_CLIENT_SECRET',
  appClientId: 'IAM_APP_CLIENT_ID',
  adminUser: 'IAM_ADMIN_USER',
  adminPassword: 'IAM_ADMIN_PASSWORD',
};

function buildEnvironment(credentials: Partial<ServerCredentials>): Record<string, string | undefined> {
  const entries = Object.entries(credentialVariables) as [keyof ServerCredentials, string][];
  return Object.fromEntries(entries.map(([name, variable]) => [variable, credentials[name]]));
}

/** Options of `startServer` by the name of the setting. All others are in `settings`. */
const optionOf: Readonly<Record<string, string>> = { host: 'host', port: 'port', store: 'store', data: 'store.data' };

/** Messages name what the caller wrote. */
const origins: SettingOrigins = {
  flag: (name) => optionOf[name] ?? `settings['${name}']`,
  variable(variable) {
    const [name] = Object.entries(credentialVariables).find(([, one]) => one === variable) ?? [variable];
    return `credentials.${name}`;
  },
};

function createServerLog(
  { log = (line) => void process.stderr.write(line) }: StartOptions,
  { logLevel }: Settings,
): Log {
  return createLog(logLevel, log, () => systemClock.now());
}

/** Returns a function that applies the clock option at start and after each reset. @throws SettingError. */
function createClockSetup(option: StartOptions['clock']): (clock: AdjustableClock) => void {
  const { at, frozen = false } =
    option === 'frozen'
      ? { frozen: true }
      : option === 'process'
        ? {}
        : typeof option === 'string' || option instanceof Date
          ? { at: option }
          : (option ?? {});
  const time = at === undefined ? (frozen ? systemClock.now() : undefined) : readStartTime(at);
  return (clock) => {
    if (frozen) clock.freeze();
    if (time !== undefined) clock.set(time);
  };
}

function readStartTime(at: DateInput): Date {
  try {
    const time = parseDate(at);
    const problem = validateClockTime(time.getTime());
    if (problem === undefined) return time;
    throw new InputError(problem);
  } catch (error) {
    throw new SettingError(`clock: ${(error as Error).message} Or use 'frozen' or 'process'.`);
  }
}
