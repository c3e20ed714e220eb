/** Confirms a command that replaces the state of a server. If its store is durable, `host:port` must be typed. */

import { ClientError } from '../../../client/errors.ts';
import { assertWritable } from '../../config/safety.ts';
import type { CommandOptions, Context } from '../../context.ts';
import { resolveBaseUrl } from '../../http/connection.ts';
import type { TableRow } from '../../output/table.ts';
import { assertConfirmed, type ConfirmOptions } from '../../request/confirm.ts';
import { callControlPlane } from '../../request/control-plane.ts';

/** For the help of the commands. */
export const durableStoreNote =
  'If the store of the server is durable, host:port must be typed or passed with --confirm; --yes is not enough.';

interface ReplacementOptions extends Pick<ConfirmOptions, 'assertExists'> {
  readonly stdinIsData?: boolean;
}

/** Confirms the replacement. @throws CliError if it is not confirmed; nothing was changed */
export async function confirmReplacement(
  context: Context,
  question: string,
  options: CommandOptions,
  { stdinIsData = false, assertExists }: ReplacementOptions = {},
): Promise<void> {
  const look = assertExists ? { assertExists } : {};
  const memoryConfirmed = (name: string) =>
    assertConfirmed(context, question, options, stdinIsData, { ...look, alternativeName: name });
  return confirmForStore(context, question, options, { stdinIsData, memoryConfirmed, ...look });
}

/** Confirms a change that only a durable store keeps: in memory it needs no confirmation. @throws CliError */
export async function confirmLastingChange(
  context: Context,
  question: string,
  options: CommandOptions,
  stdinIsData = false,
): Promise<void> {
  return confirmForStore(context, question, options, { stdinIsData, memoryConfirmed: async () => undefined });
}

interface StoreConfirmation extends Pick<ConfirmOptions, 'assertExists'> {
  readonly stdinIsData: boolean;
  /** Confirms the change of a store in memory. */
  memoryConfirmed(name: string): Promise<void>;
}

async function confirmForStore(
  context: Context,
  question: string,
  options: CommandOptions,
  { stdinIsData, memoryConfirmed, ...look }: StoreConfirmation,
): Promise<void> {
  assertWritable(context.settings);
  const baseUrl = resolveBaseUrl(context.settings);
  const name = getHostName(baseUrl);
  // `host:port` confirms every kind of store, so that scripts need not know which one the server has.
  if (options.confirm === name) return;
  const kind = await readStoreKind(context);
  if (kind === 'memory') return memoryConfirmed(name);
  const store = kind === 'unknown' ? 'a store that may be durable' : 'a durable store';
  const details = async () => [{ heading: `${baseUrl} contains:`, facts: await readContents(context) }];
  const facts = `${baseUrl} has ${store}. This cannot be undone.`;
  await assertConfirmed(context, `${facts} ${question}`, options, stdinIsData, {
    ...look,
    requireName: true,
    name,
    details,
  });
}

function getHostName(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}

async function readStoreKind(context: Context): Promise<'memory' | 'durable' | 'unknown'> {
  const body = await readIfAllowed(context, '/_iam/settings');
  const store = isRecord(body) ? body.store : undefined;
  if (store === undefined) return 'unknown';
  return store === 'memory' ? 'memory' : 'durable';
}

/** What people create; the metrics count other tables too. */
const countedTables = ['groups', 'users', 'clients', 'businesses', 'customers', 'apiKeys', 'sessions'];

/** Numbers of rows, from the metrics: one request that counts without reading the rows. */
async function readContents(context: Context): Promise<TableRow> {
  const metrics = String(await readIfAllowed(context, '/_iam/metrics'));
  const rows = new Map(
    [...metrics.matchAll(/^iam_store_rows\{table="(\w+)"\} (\d+)$/gm)].map(([, table, count]) => [table, count]),
  );
  const counts = countedTables.flatMap((table) => (rows.has(table) ? [[table, rows.get(table)] as const] : []));
  return counts.length === 0 ? { rows: 'unknown (not readable)' } : Object.fromEntries(counts);
}

/** Undefined if the caller may not read it. */
async function readIfAllowed(context: Context, path: string): Promise<unknown> {
  try {
    return (await callControlPlane(context, 'GET', path)).body;
  } catch (error) {
    if (error instanceof ClientError && error.status === 403) return undefined;
    throw error;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
