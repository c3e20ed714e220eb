/** Reads names from the server with a time limit and caches them. */
import type { EntityListSource, EntityName } from '../../contract/entities.ts';
import type { Manifest } from '../../contract/manifest-types.ts';
import type { ResolvedCredentials } from '../auth/credentials.ts';
import type { CliSettings } from '../config/settings.ts';
import type { RequestContext } from '../context.ts';
import { connect } from '../http/connection.ts';
import { requestFieldsIn } from '../http/redact.ts';
import type { Environment, Io } from '../io/io.ts';
import type { TableRow } from '../output/table.ts';
import { readEntityPage } from '../request/entity-rows.ts';
import { collectEntries } from '../request/pagination.ts';
import { findSendableCredentials, resolveCompletionCaller } from './cached-credentials.ts';
import { createNameCache } from './name-cache.ts';
import { reduceRow } from './rows.ts';

interface NameList {
  readonly source: EntityListSource;
  /** What the rows are. */
  readonly entity: EntityName;
  /** The values of the parameters of the source. */
  readonly params: readonly string[];
  /** The dotted paths to keep of each row. */
  readonly keep: readonly string[];
}

/** Returns the rows of a list; empty if the request fails or times out. */
export type ListReader = (list: NameList) => Promise<readonly TableRow[]>;

export interface ListReaderDeps {
  readonly io: Io;
  readonly environment: Environment;
  readonly manifest: Manifest;
  readonly settings: () => Promise<CliSettings>;
  /** Aborts the requests. */
  limit(): AbortSignal;
}

const maxRows = 1000;

/** Creates a reader that requests lists with the existing token and caches their rows. */
export function createListReader(deps: ListReaderDeps): ListReader {
  return async (list) => {
    try {
      return await Promise.race([readRows(deps, list), rejectOnAbort(deps.limit())]);
    } catch {
      return [];
    }
  };
}

async function readRows(deps: ListReaderDeps, list: NameList): Promise<readonly TableRow[]> {
  const { environment } = deps;
  const settings = await deps.settings();
  const caller = resolveCompletionCaller(settings);
  const cache = createNameCache(caller.owner, environment);
  const key = JSON.stringify([list.source, list.params, list.keep]);
  const known = cache.read(key);
  if (known) return known;
  const credentials = await findSendableCredentials(caller, environment);
  if (!credentials) return [];
  const found = await requestRows(deps, list, settings, credentials);
  const rows = found.map((row) => reduceRow(row, list.keep, list.entity));
  cache.write(key, rows);
  return rows;
}

/** Sends the requests without retries, notices or tracing. */
async function requestRows(
  { io, environment, manifest, limit }: ListReaderDeps,
  { source, params }: NameList,
  resolved: CliSettings,
  credentials: ResolvedCredentials,
): Promise<readonly unknown[]> {
  const settings = resolved.with({ options: { ...resolved.options, maxWait: '0' } });
  const signal = AbortSignal.any([io.signal, limit()]);
  const client = await connect({
    ...{ io, environment, manifest, settings, credentials },
    tracing: { verbose: false, debug: false, curl: false },
    fieldsAt: requestFieldsIn(manifest),
    announceServer: () => undefined,
    notice: () => undefined,
  });
  const context: RequestContext = {
    ...{ manifest, environment, settings },
    io: { signal },
    notice: () => undefined,
    connect: async () => client,
  };
  try {
    return await collectEntries((query) => readEntityPage(context, { source, params, query, signal }), maxRows);
  } finally {
    await client.close();
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
