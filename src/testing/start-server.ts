/** `startServer`: the composition root of servers that run in the process of a test. */
import { readFile } from 'node:fs/promises';
import type * as z from 'zod';
import type { AdjustableClock } from '../server/adjustable-clock.ts';
import { openAudit } from '../server/audit/open.ts';
import { systemClock } from '../server/clock.ts';
import { type ListenOptions, listen } from '../server/http/listen.ts';
import { createLog, type Log } from '../server/log.ts';
import { openStore } from '../server/open-store.ts';
import { systemRandom } from '../server/random.ts';
import { SeedError } from '../server/seed/error.ts';
import { toSeedIssues } from '../server/seed/issues.ts';
import { SeedDocument } from '../server/seed/schema.ts';
import {
  readSettings,
  type Setting,
  SettingError,
  type SettingKey,
  type Settings,
  settingsTable,
} from '../server/settings.ts';
import { type DateInput, parseDate } from './clock.ts';
import { createIamServer, type IamServer } from './iam-server.ts';

type Kebab<Text extends string> = Text extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `-${Lowercase<Head>}`}${Kebab<Tail>}`
  : '';

/** What has an option of its own, or no meaning here. */
type ExcludedSetting =
  | 'host'
  | 'port'
  | 'seed'
  | 'store'
  | 'data'
  | 'json'
  | 'resetAdmin'
  | 'tlsCert'
  | 'tlsKey'
  | 'smtpUrl';
type NamedSetting = Exclude<SettingKey, ExcludedSetting | `admin${string}` | 'appClientId'>;

/** Settings by the names that docs/settings.md lists: `'user-token-lifetime': 60`. */
export type SettingValues = { readonly [Key in NamedSetting as Kebab<Key>]?: Settings[Key] };

/** Who can sign in from the start. */
export interface ServerCredentials {
  /** The administrator client, */
  readonly adminClientId: string;
  readonly adminClientSecret: string;
  /** the client that users sign in through, which has no secret, */
  readonly appClientId: string;
  /** and the administrator user. */
  readonly adminUser: string;
  readonly adminPassword: string;
}

export interface StartOptions {
  /** Any free one where missing. */
  readonly port?: number | undefined;
  /** 127.0.0.1 where missing. */
  readonly host?: string | undefined;
  /** A seed document, or the path of one (YAML or JSON). */
  readonly seed?: string | z.input<typeof SeedDocument> | undefined;
  /** In memory where missing; else the folder of a store on disk, whose administrator gets new secrets. */
  readonly store?: 'memory' | { readonly data: string } | undefined;
  readonly settings?: SettingValues | undefined;
  /** What is to be the same at every start; the rest is made at random. */
  readonly credentials?: Partial<ServerCredentials> | undefined;
  /** The time to begin at; 'frozen' stands still at the time of the start. */
  readonly clock?: 'frozen' | DateInput | { readonly at?: DateInput; readonly frozen?: boolean } | undefined;
  /** Takes the lines of the log; errors go to standard error where missing. */
  readonly log?: ((line: string) => void) | undefined;
}

/**
 * Starts a service in this process and resolves when it answers. Several can run at once and know nothing of each other.
 * @throws SettingError, SeedError, RangeError (the clock), and what listening and opening the store throw.
 */
export async function startServer(options: StartOptions = {}): Promise<IamServer> {
  assertKnownOptions(options);
  const seed = await readSeed(options.seed);
  const settings = buildSettings(options, seed);
  const log = createServerLog(options, settings);
  const base = { settings, log, clock: systemClock, random: systemRandom };
  return startIamServer(
    {
      ...base,
      seed,
      prepareClock: createClockSetup(options.clock),
      openStore: () => openStore(settings, log),
      openAudit: createAuditOpener(log, options),
    },
    options.credentials ?? {},
  );
}

const optionNames: Readonly<Record<keyof StartOptions, true>> = {
  port: true,
  host: true,
  seed: true,
  store: true,
  settings: true,
  credentials: true,
  clock: true,
  log: true,
};

/** Nothing else holds JavaScript to the types: a misspelt option would be none, another store that of this folder. */
function assertKnownOptions(options: StartOptions): void {
  for (const name of Object.keys(options))
    if (!Object.hasOwn(optionNames, name)) throw new SettingError(`startServer: there is no option ${name}`);
  const { store = 'memory' } = options;
  if (store !== 'memory' && typeof store?.data !== 'string')
    throw new SettingError("store: must be 'memory' or { data: FOLDER }");
}

function createAuditOpener(
  log: Log,
  { log: write = () => undefined }: StartOptions,
): NonNullable<ListenOptions['openAudit']> {
  return (settings) => openAudit(settings, { log, write });
}

type InternalStartOptions = ListenOptions & { prepareClock(clock: AdjustableClock): void };

async function startIamServer(options: InternalStartOptions, given: Partial<ServerCredentials>): Promise<IamServer> {
  const service = await listen(options);
  // Secrets that were given are not told again, and all that were not are.
  const credentials = { ...given, ...service.bootstrapResult } as ServerCredentials;
  return createIamServer({
    service,
    credentials,
    prepareClock: options.prepareClock,
    startFork: (store, prepareClock) =>
      startIamServer(
        {
          ...options,
          settings: forkSettings(options.settings),
          seed: undefined,
          prepareClock,
          openStore: async () => store,
        },
        credentials,
      ),
  });
}

/** The state is there already, so nothing is made or looked at but the server around it. */
function forkSettings(settings: Settings): Settings {
  const nothingNew = { resetAdmin: false, adminClientSecret: undefined, adminPassword: undefined };
  return { ...settings, ...nothingNew, port: 0, store: 'memory' };
}

async function readSeed(seed: StartOptions['seed']): Promise<SeedDocument | undefined> {
  if (seed === undefined) return undefined;
  if (typeof seed === 'string') {
    const text = await readFile(seed, 'utf8').catch((error: Error) => {
      throw new SeedError(`the seed can't be read: ${error.message}`);
    });
    return (await import('../server/seed/parse.ts')).parseSeed(text, seed);
  }
  const result = await SeedDocument.safeParseAsync(seed, { reportInput: true });
  if (result.success) return result.data;
  const faults = result.error.issues.flatMap(toSeedIssues);
  throw new SeedError(faults.map(({ path, message }) => `${path.join('.') || 'the seed'}: ${message}`).join('\n'));
}

function buildSettings({ port = 0, host, store = 'memory', settings, credentials }: StartOptions, seed?: SeedDocument) {
  const place = store === 'memory' ? { store } : { store: 'file', data: store.data, 'reset-admin': true };
  assertKnownSettings(Object.keys(settings ?? {}));
  const given = { 'log-level': 'error', ...settings, ...(host === undefined ? {} : { host }), port, ...place };
  const flags = Object.entries(given).map(([name, value]) => [name, flagText(value)]);
  const read = readSettings(Object.fromEntries(flags), buildEnvironment(credentials ?? {}), seed?.settings);
  if (read.tlsCert === undefined) return read;
  throw new SettingError('tls-cert: a server in the process of a test serves HTTP only');
}

/** An empty list is as if none was given: as text it would be a flag without a value. */
function flagText(value: unknown): string | undefined {
  return value === undefined || (Array.isArray(value) && value.length === 0) ? undefined : String(value);
}

/** A name that is misspelt would change nothing, and nobody would know. @throws SettingError. */
function assertKnownSettings(names: readonly string[]): void {
  const known = new Set(Object.values<Setting>(settingsTable).flatMap(({ name, flag }) => (flag ? [name] : [])));
  for (const name of names) if (!known.has(name)) throw new SettingError(`settings: there is no setting ${name}`);
}

/** Secrets are read as if from the environment, which itself is not looked at. */
function buildEnvironment(given: Partial<ServerCredentials>): Record<string, string | undefined> {
  return {
    IAM_ADMIN_CLIENT_ID: given.adminClientId,
    IAM_ADMIN_CLIENT_SECRET: given.adminClientSecret,
    IAM_APP_CLIENT_ID: given.appClientId,
    IAM_ADMIN_USER: given.adminUser,
    IAM_ADMIN_PASSWORD: given.adminPassword,
  };
}

function createServerLog(
  { log = (line) => void process.stderr.write(line) }: StartOptions,
  { logLevel }: Settings,
): Log {
  return createLog(logLevel, log, () => systemClock.now());
}

/** What brings a fresh clock to where it is to begin, now and after each reset. @throws RangeError. */
function createClockSetup(given: StartOptions['clock']): (clock: AdjustableClock) => void {
  const { at, frozen = false } =
    given === 'frozen'
      ? { frozen: true }
      : typeof given === 'string' || given instanceof Date
        ? { at: given }
        : (given ?? {});
  const time = at === undefined ? (frozen ? systemClock.now() : undefined) : parseDate(at);
  return (clock) => {
    if (frozen) clock.freeze();
    if (time !== undefined) clock.set(time);
  };
}
