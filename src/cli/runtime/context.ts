/** What a command works with: resolved settings, the client when it is needed, output, questions. */
import type { Command } from 'commander';
import type { BaseClient } from '../../client/create-client.ts';
import type { Manifest } from '../../contract/manifest-types.ts';
import { readColumns } from './columns.ts';
import { connect } from './connection.ts';
import { escapeControls } from './control-characters.ts';
import type { CurlCall } from './curl.ts';
import { usageError } from './failures.ts';
import type { Environment, Io } from './io.ts';
import { createPrinter, type Format, formats, type Printer, type Selection } from './output.ts';
import { readProfiles } from './profile.ts';
import { findProjectFile, type ProjectFile } from './project-file.ts';
import type { Asking } from './prompt.ts';
import { readQuery } from './query.ts';
import { type FindRequestFields, requestFieldsIn } from './request-fields.ts';
import { type GlobalOptions, resolve, type SettingName, type Sources, settingNames } from './settings.ts';
import { printCurl } from './tracing.ts';

export interface Context {
  readonly io: Io;
  readonly environment: Environment;
  readonly manifest: Manifest;
  readonly sources: Sources;
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
  asking(stdinIsData: boolean): Asking;
}

export interface Surroundings {
  readonly io: Io;
  readonly environment: Environment;
  readonly manifest: Manifest;
  /** Every command, built in full: for what tells of all of them. */
  readonly everyCommand: () => Command;
}

/** Runs `work` with a context and closes what it opened. */
export async function withContext(
  surroundings: Surroundings,
  options: GlobalOptions,
  work: (context: Context) => Promise<void>,
): Promise<void> {
  const { io, environment } = surroundings;
  const sources = await sourcesFor(environment, options);
  for (const warning of sources.project?.warnings ?? []) io.stderr.write(`warning: ${escapeControls(warning)}\n`);
  const tracing = { verbose: options.verbose === true, debug: options.debug === true, curl: options.curl === true };
  const printer = createPrinter(io.stdout, formatOf(sources), await selectionOf(options, sources), io.signal);
  const fieldsAt = requestFieldsIn(surroundings.manifest);
  let client: Promise<BaseClient> | undefined;
  const context: Context = {
    ...surroundings,
    sources,
    printer,
    fieldsAt,
    notice: (...lines) => void (options.quiet || io.stderr.write(`${lines.map(escapeControls).join('\n')}\n`)),
    connect: (as) =>
      (client ??= connect({
        ...surroundings,
        sources,
        tracing,
        fieldsAt,
        anonymous: as === 'anonymous',
      })),
    curl: tracing.curl ? (call) => printCurl({ io, fieldsAt }, sources, call) : undefined,
    asking: (stdinIsData) => ({ io, environment, input: options.input !== false, stdinIsData, color: options.color }),
  };
  try {
    await work(context);
  } finally {
    await (await client?.catch(() => undefined))?.close();
  }
}

/** All that settings are taken from. @throws CliError where one of the files is broken */
export async function sourcesFor(environment: Environment, options: GlobalOptions): Promise<Sources> {
  const project = projectFor(environment);
  const file = await readProfiles(environment.variables);
  return { options, variables: environment.variables, file, project };
}

/** Looked for from the working directory upwards. */
function projectFor({ workingFolder }: Environment): ProjectFile | undefined {
  const folder = workingFolder?.();
  const settings: readonly SettingName[] = settingNames;
  return folder === undefined ? undefined : findProjectFile(folder, settings);
}

function formatOf(sources: Sources): Format {
  const { value = '', origin = '' } = resolve('output', sources) ?? {};
  if ((formats as readonly string[]).includes(value)) return value as Format;
  throw usageError(`${origin} must be one of ${formats.join(', ')}, not ${JSON.stringify(value)}.`);
}

/** What of the data is shown: told wrong before anything is sent. */
async function selectionOf({ query, columns, csvRaw }: GlobalOptions, sources: Sources): Promise<Selection> {
  if (columns !== undefined && !['table', 'wide', 'csv'].includes(formatOf(sources)))
    throw usageError(`--columns is for -o table, wide and csv, not for ${formatOf(sources)}.`, 'Use --query there.');
  return {
    query: query === undefined ? undefined : await readQuery(query),
    columns: columns === undefined ? undefined : readColumns(columns),
    csvRaw,
  };
}
