/** Reads names from the server with a time limit and caches them. */
import { ClientError } from '../../client/errors.ts';
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
import { findSendableCredentials, resolveCompletionCaller } from './credentials.ts';
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
  /** What to search for on the server if the list is longer than what is loaded. */
  readonly search: string;
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

/** Creates a reader that requests each list once, and caches its rows. */
export function createListReader(deps: ListReaderDeps): ListReader {
  const known = new Map<string, Promise<readonly TableRow[]>>();
  const read = (list: NameList, search?: string) => {
    const key = JSON.stringify([list.source, list.params, list.keep, search]);
    const rows = known.get(key) ?? readRows(deps, list, key, search);
    known.set(key, rows);
    return rows;
  };
  const readMatches = async (list: NameList) => {
    const rows = await read(list);
    const canSearch = rows.length >= maxRows && 'control' in list.source && list.source.filter !== undefined;
    return canSearch && list.search !== '' ? read(list, list.search) : rows;
  };
  return async (list) => {
    try {
      return await Promise.race([readMatches(list), rejectOnAbort(deps.limit())]);
    } catch {
      return [];
    }
  };
}

async function readRows(
  deps: ListReaderDeps,
  list: NameList,
  key: string,
  search: string | undefined,
): Promise<readonly TableRow[]> {
  const { environment } = deps;
  const settings = await deps.settings();
  const caller = resolveCompletionCaller(settings);
  const cache = createNameCache(caller.owner, environment);
  const known = cache.read(key);
  if (known) return known;
  const credentials = await findSendableCredentials(caller, environment);
  if (!credentials) return [];
  const found = await requestRows(deps, list, search, settings, credentials).catch((error: unknown) => {
    // Each keystroke with a wrong secret would be a failed login.
    if (credentials.kind === 'client' && error instanceof ClientError && error.status === 401) return [];
    throw error;
  });
  const rows = found.map((row) => reduceRow(row, list.keep, list.entity));
  cache.write(key, rows);
  return rows;
}

/** Sends the requests without retries, notices or tracing. */
async function requestRows(
  { io, environment, manifest, limit }: ListReaderDeps,
  { source, params }: NameList,
  search: string | undefined,
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
    return await collectEntries(
      (query) => readEntityPage(context, { source, params, query: { ...query, search }, signal }),
      maxRows,
    );
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
