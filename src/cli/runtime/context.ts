/** What a command works with: resolved settings, the client when it is needed, output, questions. */
import type { Command } from 'commander';
import type { BaseClient } from '../../client/create-client.ts';
import type { Manifest } from '../../contract/manifest-types.ts';
import { parseColumns } from './columns.ts';
import { connect } from './connection.ts';
import { escapeControls } from './control-characters.ts';
import type { CurlCall } from './curl.ts';
import { usageError } from './errors.ts';
import type { Environment, Io } from './io.ts';
import { createPrinter, type Format, formats, type Printer, type Selection } from './output.ts';
import { readProfiles } from './profile.ts';
import { findProjectFile, type ProjectFile } from './project-file.ts';
import type { PromptOptions } from './prompt.ts';
import { compileQuery } from './query.ts';
import { type FindRequestFields, requestFieldsIn } from './request-fields.ts';
import {
  type GlobalOptions,
  resolveSetting,
  type SettingDefinition,
  type SettingSources,
  settingDefinitions,
} from './settings.ts';
import { printCurl } from './tracing.ts';

export interface Context {
  readonly io: Io;
  readonly environment: Environment;
  readonly manifest: Manifest;
  readonly sources: SettingSources;
  readonly printer: Printer;
  /** What a request declares, so that nothing else of it is shown. */
  readonly fieldsAt: FindRequestFields;
  /** Says something on standard error, unless --quiet. */
  notice(...lines: readonly string[]): void;
  /** The client; the same one each time. With `anonymous` it leaves the credentials in use out. */
  connect(as?: 'anonymous'): Promise<BaseClient>;
  /** Prints a call that is not made for curl, where that was asked for. */
  readonly curl?: ((call: CurlCall) => void) | undefined;
  /** What a question needs to know. */
  promptOptions(stdinIsData: boolean): PromptOptions;
}

export interface CliRuntime {
  readonly io: Io;
  readonly environment: Environment;
  readonly manifest: Manifest;
  /** Every command, built in full: for what tells of all of them. */
  readonly everyCommand: () => Command;
}

/** Runs `work` with a context and closes what it opened. */
export async function withContext(
  runtime: CliRuntime,
  options: GlobalOptions,
  work: (context: Context) => Promise<void>,
): Promise<void> {
  const { io, environment } = runtime;
  const sources = await loadSources(environment, options);
  for (const warning of sources.project?.warnings ?? []) io.stderr.write(`warning: ${escapeControls(warning)}\n`);
  const tracing = { verbose: options.verbose === true, debug: options.debug === true, curl: options.curl === true };
  const printer = createPrinter(io.stdout, readFormat(sources), await readSelection(options, sources), io.signal);
  const fieldsAt = requestFieldsIn(runtime.manifest);
  let client: Promise<BaseClient> | undefined;
  const context: Context = {
    ...runtime,
    sources,
    printer,
    fieldsAt,
    notice: (...lines) => void (options.quiet || io.stderr.write(`${lines.map(escapeControls).join('\n')}\n`)),
    connect: (as) =>
      (client ??= connect({
        ...runtime,
        sources,
        tracing,
        fieldsAt,
        anonymous: as === 'anonymous',
      })),
    curl: tracing.curl ? (call) => printCurl({ io, fieldsAt }, sources, call) : undefined,
    promptOptions: (stdinIsData) => ({
      io,
      environment,
      input: options.input !== false,
      stdinIsData,
      color: options.color,
    }),
  };
  try {
    await work(context);
  } finally {
    await (await client?.catch(() => undefined))?.close();
  }
}

/** All that settings are taken from. @throws CliError where one of the files is broken */
export async function loadSources(environment: Environment, options: GlobalOptions): Promise<SettingSources> {
  const project = findProject(environment);
  const file = await readProfiles(environment.variables);
  return { options, variables: environment.variables, file, project };
}

/** Looked for from the working directory upwards. */
function findProject({ workingFolder }: Environment): ProjectFile | undefined {
  const folder = workingFolder?.();
  const settings: readonly SettingDefinition[] = settingDefinitions;
  return folder === undefined ? undefined : findProjectFile(folder, settings);
}

function readFormat(sources: SettingSources): Format {
  const { value = '', origin = '' } = resolveSetting('output', sources) ?? {};
  if ((formats as readonly string[]).includes(value)) return value as Format;
  throw usageError(`${origin} must be one of ${formats.join(', ')}, not ${JSON.stringify(value)}.`);
}

/** What of the data is shown: told wrong before anything is sent. */
async function readSelection({ query, columns, csvRaw }: GlobalOptions, sources: SettingSources): Promise<Selection> {
  if (columns !== undefined && !['table', 'wide', 'csv'].includes(readFormat(sources)))
    throw usageError(`--columns is for -o table, wide and csv, not for ${readFormat(sources)}.`, 'Use --query there.');
  return {
    query: query === undefined ? undefined : await compileQuery(query),
    columns: columns === undefined ? undefined : parseColumns(columns),
    csvRaw,
  };
}
