/** The context of a command: resolved settings, lazy client, output and prompts. */
import type { Command } from 'commander';
import type { Manifest } from '../contract/manifest-types.ts';
import { readFileTrust } from '../lib/file-trust.ts';
import { noCredentials } from './auth/credentials.ts';
import { readUsableProfiles } from './config/profile.ts';
import { findProjectFile, type ProjectFile } from './config/project-file.ts';
import { stripUserInfo } from './config/server-url.ts';
import {
  CliSettings,
  defaultOrigin,
  findProjectServer,
  type GlobalOptions,
  type SettingDefinition,
  settingDefinitions,
} from './config/settings.ts';
import { CliError, columnUnknownCode, type ErrorTable, queryFailedCode, usageError } from './errors.ts';
import { type CliClient, connect } from './http/connection.ts';
import type { CurlCall } from './http/curl.ts';
import { createNameReader } from './http/entity-names.ts';
import { type FindRequestFields, requestFieldsIn } from './http/redact.ts';
import { printCurl } from './http/request-trace.ts';
import { formatServerOptions } from './http/server-options.ts';
import { escapeControls } from './io/control-characters.ts';
import type { Environment, Io } from './io/io.ts';
import { findOutputFailure, isBrokenPipe, outputError } from './io/output-failure.ts';
import type { PromptOptions } from './io/prompt.ts';
import { parseColumns } from './output/columns.ts';
import { createErrorReport } from './output/error-report.ts';
import { type Format, formats } from './output/format.ts';
import { addServerOptions } from './output/hint-commands.ts';
import { maskNotices, maskText } from './output/mask.ts';
import type { FindNames } from './output/name-columns.ts';
import { createPrinter, type Printer, type Selection } from './output/printer.ts';
import type { ResultQuery } from './output/query.ts';

export interface Context {
  readonly io: Io;
  readonly environment: Environment;
  readonly manifest: Manifest;
  readonly settings: CliSettings;
  readonly printer: Printer;
  /** Returns the names of ids, for people. */
  readonly findNames: FindNames;
  /** When to use colors: auto, always or never. */
  readonly color?: string | undefined;
  /** The declared fields of a request, for redaction. */
  readonly fieldsAt: FindRequestFields;
  /** Prints before a write, once, that a project file selects another server than the user's settings. */
  announceServer(): void;
  /** Prints a notice on standard error, unless --quiet is set. */
  notice(...lines: readonly string[]): void;
  /**
   * Returns the client of this command, created by the first call with its arguments; later ones are ignored. With
   * `anonymous` it sends no credentials. By default with the settings of the context.
   */
  connect(as?: 'anonymous', settings?: CliSettings): Promise<CliClient>;
  /** With --curl: prints a request that is not sent as a curl command. */
  readonly curl?: ((call: CurlCall) => void) | undefined;
  /** @param stdinIsData that the command line shows is known without it */
  promptOptions(stdinIsData: boolean): PromptOptions;
}

/** The part of a context that sends requests. */
export interface RequestContext extends Pick<Context, 'manifest' | 'environment' | 'settings' | 'notice' | 'connect'> {
  readonly io: Pick<Io, 'signal'>;
}

export interface CliRuntime {
  readonly io: Io;
  readonly environment: Environment;
  readonly manifest: Manifest;
  /** Whether the command line has one of these names of a command. Others are only listed, without options. */
  isRequested(names: readonly string[]): boolean;
  /** The word of the command line after one of these. */
  wordAfter(names: readonly string[]): string | undefined;
  /** Builds every command in full, for the catalogue and help. */
  readonly everyCommand: () => Promise<Command>;
}

/** The options of a command line, by commander's attribute. */
export type CommandOptions = Readonly<Record<string, unknown>>;

export interface ContextRequirements {
  /** The default is not used: the base URL is prompted for if no option, variable, file or profile names it. */
  readonly requiresBaseUrl?: boolean;
  /** Standard input is data, or nothing is asked: no question of the command is possible. */
  readonly stdinIsData?: boolean;
  /** Output that is longer than the terminal is shown by a pager. */
  readonly paged?: boolean;
}

/** Runs `work` with a context and closes the client. */
export async function withContext(
  runtime: CliRuntime,
  options: GlobalOptions,
  work: (context: Context) => Promise<void>,
  requirements: ContextRequirements = {},
): Promise<void> {
  const { verbose, debug, curl, pager: isPagerWanted } = options;
  const canPage =
    requirements.paged && isPagerWanted !== false && runtime.io.stdout.isTTY && !verbose && !debug && !curl;
  if (!canPage) return runInContext(runtime, options, work, requirements);
  const { openPager } = await import('./io/pager.ts');
  const paged = openPager(runtime.io, runtime.environment);
  try {
    await runInContext(paged ? { ...runtime, io: paged.io } : runtime, options, work, requirements, runtime.io);
  } finally {
    await paged?.close();
  }
}

async function runInContext(
  runtime: CliRuntime,
  options: GlobalOptions,
  work: (context: Context) => Promise<void>,
  { requiresBaseUrl = false, stdinIsData = false }: ContextRequirements,
  promptIo = runtime.io,
): Promise<void> {
  const { environment } = runtime;
  const io = options.mask ? maskNotices(runtime.io) : runtime.io;
  const promptOptions = (isData: boolean) => ({
    // What the user types is shown at once, and as typed.
    io: promptIo,
    environment,
    input: options.input !== false,
    stdinIsData: isData || stdinIsData,
    color: options.color,
    mask: options.mask ? maskText : undefined,
  });
  const loaded = await loadSettings(environment, options);
  const settings = requiresBaseUrl ? await completeBaseUrl(loaded, promptOptions(false)) : loaded;
  const { file, project } = settings;
  for (const warning of [...(file.warning ? [file.warning] : []), ...(project?.warnings ?? [])])
    io.stderr.write(`warning: ${escapeControls(warning)}\n`);
  const tracing = { verbose: options.verbose === true, debug: options.debug === true, curl: options.curl === true };
  const serverOptions = formatServerOptions(options);
  const findNames = createNameReader(() => context.connect(), io.signal);
  const selection = await readSelection(options, settings);
  const printer = createPrinter(io.stdout, readFormat(settings), selection, io.signal, findNames);
  const fieldsAt = requestFieldsIn(runtime.manifest);
  let client: Promise<CliClient> | undefined;
  let isAnnounced = false;
  const announceServer = () => {
    const selected = isAnnounced ? undefined : findProjectServer(context.settings);
    isAnnounced = true;
    if (selected)
      context.notice(
        `The server is ${stripUserInfo(selected.url)}, not ${stripUserInfo(selected.own)}: ${project?.path} selects it.`,
      );
  };
  const context: Context = {
    ...runtime,
    io,
    settings,
    printer,
    findNames,
    color: options.color,
    fieldsAt,
    announceServer,
    notice: (...lines) => {
      const texts = lines.map((line) => escapeControls(addServerOptions(line, serverOptions)));
      if (!options.quiet) io.stderr.write(`${texts.join('\n')}\n`);
    },
    connect: (as, connectionSettings = settings) =>
      (client ??= connect({
        ...runtime,
        io,
        settings: connectionSettings,
        tracing,
        fieldsAt,
        announceServer,
        notice: (text) => context.notice(text),
        ...(as === 'anonymous' ? { credentials: noCredentials } : {}),
      })),
    curl: tracing.curl ? (call) => printCurl({ io, fieldsAt }, settings, call) : undefined,
    promptOptions,
  };
  const countChanges = async () => (await client?.catch(() => undefined))?.countChanges() ?? 0;
  try {
    await work(context);
    await assertOutputWritten(io, await countChanges());
  } catch (error) {
    const changes = await countChanges();
    throw changes > 0 ? markPartlyDone(error, changes, runtime.manifest) : error;
  } finally {
    await (await client?.catch(() => undefined))?.close();
  }
}

/** @throws CliError (exit 70) if standard output did not take everything, unless its reader has seen enough */
async function assertOutputWritten(io: Io, changes: number): Promise<void> {
  const failure = await findOutputFailure(io);
  if (!failure || isBrokenPipe(failure)) return;
  throw outputError(failure, changes === 0 ? undefined : `The command took effect: ${formatChanges(changes)} made.`);
}

function formatChanges(changes: number): string {
  return changes === 1 ? '1 change was' : `${changes} changes were`;
}

/**
 * A failure that can pass, and one of the command line, promise that nothing was changed, which does not hold for a command
 * that made changes before.
 */
function markPartlyDone(error: unknown, changes: number, table: ErrorTable): unknown {
  const { exitCode, code, message } = createErrorReport(error, table);
  if (code === queryFailedCode || code === columnUnknownCode)
    return new CliError(`The command took effect: ${formatChanges(changes)} made. ${message}`, {
      ...{ code, exitCode: 70, cause: error },
    });
  return exitCode === 75 ? toPartlyDone(error, changes, table) : error;
}

/** The error of a command that made changes before: exit code 8. */
export function toPartlyDone(error: unknown, changes: number, table: ErrorTable): CliError {
  const { code, message, lines, hint } = createErrorReport(error, table);
  const [first = message, ...more] = lines ?? [];
  return new CliError(`${formatChanges(changes)} made, then a request failed: ${first}`, {
    code,
    exitCode: 8,
    lines: more,
    hint,
    cause: error,
  });
}

async function completeBaseUrl(settings: CliSettings, promptOptions: PromptOptions): Promise<CliSettings> {
  if (settings.get('base-url')?.origin !== defaultOrigin) return settings;
  const { promptBaseUrl } = await import('./config/prompt-base-url.ts');
  return settings.with({ options: { ...settings.options, baseUrl: await promptBaseUrl(promptOptions) } });
}

/** Reads the files of settings. @throws CliError if a file is invalid */
export async function loadSettings(environment: Environment, options: GlobalOptions): Promise<CliSettings> {
  const project = findProject(environment);
  const file = await readUsableProfiles(environment.variables);
  return new CliSettings({ options, variables: environment.variables, file, project });
}

/** Searches from the working directory upwards. */
function findProject({ workingFolder, variables }: Environment): ProjectFile | undefined {
  const folder = workingFolder?.();
  if (folder === undefined) return undefined;
  const definitions: readonly SettingDefinition[] = settingDefinitions;
  return findProjectFile(folder, definitions, readFileTrust(variables, folder));
}

function readFormat(settings: CliSettings): Format {
  const { value = '', origin = '' } = settings.get('output') ?? {};
  if ((formats as readonly string[]).includes(value)) return value as Format;
  throw usageError(`${origin} must be one of ${formats.join(', ')}, not ${JSON.stringify(value)}.`);
}

/** Reads --query and --columns, and rejects invalid ones before a request is sent. */
async function readSelection(
  { query, columns, csvRaw, mask }: GlobalOptions,
  settings: CliSettings,
): Promise<Selection> {
  if (columns !== undefined && !['table', 'wide', 'csv'].includes(readFormat(settings)))
    throw usageError(`--columns requires -o table, wide or csv, not ${readFormat(settings)}.`, 'Use --query instead.');
  return {
    query: query === undefined ? undefined : await loadQuery(query),
    columns: columns === undefined ? undefined : parseColumns(columns),
    csvRaw,
    mask,
  };
}

async function loadQuery(expression: string): Promise<ResultQuery> {
  const { compileQuery } = await import('./output/query.ts');
  return compileQuery(expression);
}
