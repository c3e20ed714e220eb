/** What a command works with: resolved settings, the client when it is needed, output, questions. */
import type { BaseClient } from '../../client/create-client.ts';
import type { Manifest } from '../../contract/manifest-types.ts';
import { readColumns } from './columns.ts';
import { connect } from './connection.ts';
import { usageError } from './failures.ts';
import type { Environment, Io } from './io.ts';
import { createPrinter, type Format, formats, type Printer, type Selection } from './output.ts';
import { type ProfileFile, readProfiles } from './profile.ts';
import type { Asking } from './prompt.ts';
import { readQuery } from './query.ts';
import { type GlobalOptions, resolve, type Sources } from './settings.ts';
import { plainLines } from './table.ts';

export interface Context {
  readonly io: Io;
  readonly environment: Environment;
  readonly manifest: Manifest;
  readonly sources: Sources;
  readonly printer: Printer;
  /** Says something on standard error, unless --quiet. */
  notice(text: string): void;
  /** The client; the same one each time. With `anonymous` it leaves the credentials in use out. */
  connect(as?: 'anonymous'): Promise<BaseClient>;
  /** What a question needs to know. */
  asking(stdinIsData: boolean): Asking;
}

export interface Surroundings {
  readonly io: Io;
  readonly environment: Environment;
  readonly manifest: Manifest;
}

/** Runs `work` with a context and closes what it opened. */
export async function withContext(
  surroundings: Surroundings,
  options: GlobalOptions,
  work: (context: Context) => Promise<void>,
): Promise<void> {
  const { io, environment } = surroundings;
  const sources: Sources = { options, variables: environment.variables, file: await profilesFor(surroundings) };
  const printer = createPrinter(io.stdout, formatOf(sources), await selectionOf(options, sources), io.signal);
  let client: Promise<BaseClient> | undefined;
  const context: Context = {
    ...surroundings,
    sources,
    printer,
    notice: (text) => void (options.quiet || io.stderr.write(`${plainLines(text)}\n`)),
    connect: (as) =>
      (client ??= connect({
        ...surroundings,
        sources,
        debug: options.debug === true,
        anonymous: as === 'anonymous',
      })),
    asking: (stdinIsData) => ({ io, environment, input: options.input !== false, stdinIsData }),
  };
  try {
    await work(context);
  } finally {
    await (await client?.catch(() => undefined))?.close();
  }
}

function profilesFor({ environment }: Surroundings): Promise<ProfileFile> {
  return readProfiles(environment.variables);
}

function formatOf(sources: Sources): Format {
  const { value = '', origin = '' } = resolve('output', sources) ?? {};
  if ((formats as readonly string[]).includes(value)) return value as Format;
  throw usageError(`${origin} must be one of ${formats.join(', ')}, not ${JSON.stringify(value)}.`);
}

/** What of the data is shown: told wrong before anything is sent. */
async function selectionOf({ query, columns }: GlobalOptions, sources: Sources): Promise<Selection> {
  if (columns !== undefined && !['table', 'wide', 'csv'].includes(formatOf(sources)))
    throw usageError(`--columns is for -o table, wide and csv, not for ${formatOf(sources)}.`, 'Use --query there.');
  return {
    query: query === undefined ? undefined : await readQuery(query),
    columns: columns === undefined ? undefined : readColumns(columns),
  };
}
