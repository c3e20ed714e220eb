/** `iam export`: builds a document of all resources without secrets, in a stable order. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { CommandOptions, Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { requireSendableCredentials } from '../http/connection.ts';
import { formatYaml } from '../io/yaml.ts';
import type { DocumentEntry, ListName } from './model/desired-entries.ts';
import { emptyRemoteState, type RemoteState } from './model/remote-state.ts';
import { readControlPage } from './read-list.ts';
import { emptyScope, refresh } from './refresh.ts';
import type { Resource } from './resource.ts';
import { documentResources } from './resources/index.ts';

/** Names the schema for editors with the YAML language server; `iam schema provisioning` prints it. */
const editorHint = '# yaml-language-server: $schema=provisioning.schema.json';

/** Prints the resources of the server as a document. */
export async function runExport(context: Context, options: CommandOptions): Promise<void> {
  requireSendableCredentials(context.settings);
  const { printer, notice } = context;
  if (['jsonl', 'csv', 'name'].includes(printer.format))
    throw usageError(`Cannot export as ${printer.format}: a document is YAML or JSON.`, 'Remove -o, or use -o json.');
  const requested = options.kind as readonly ListName[] | undefined;
  const hasControl = (await readControlPage(context, '/_iam/clients', { limit: 1 })) !== undefined;
  const exported = documentResources.filter(({ list, needsControlPlane }) =>
    requested === undefined ? hasControl || !needsControlPlane : requested.includes(list),
  );
  if (!hasControl) notice('The control plane is disabled: clients, customers and business users are not exported.');
  const document = buildExportDocument(await readRemoteState(context, exported, hasControl), exported);
  if (printer.format === 'json') await printer.value(document);
  else printer.verbatim([editorHint, formatYaml(document, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd()]);
}

async function readRemoteState(
  context: Context,
  exported: readonly Resource[],
  hasControl: boolean,
): Promise<RemoteState> {
  const requested = new Set(exported.map(({ list }) => list));
  const required = new Set(exported.flatMap(({ requires }) => requires));
  const read = documentResources.filter(
    ({ list, needsControlPlane }) => requested.has(list) || (required.has(list) && (hasControl || !needsControlPlane)),
  );
  const state = await refresh(context, emptyRemoteState, { ...emptyScope, lists: read.map(({ list }) => list) });
  return refresh(context, state, { ...emptyScope, members: [...(state.groups?.keys() ?? [])] });
}

/** Builds the entries of the requested kinds; empty kinds are omitted. */
function buildExportDocument(
  state: RemoteState,
  exported: readonly Resource[],
): Readonly<Record<string, readonly DocumentEntry[]>> {
  const lists = exported.map((resource) => {
    const entries = resource.export(state).map((entry) => selectFields(resource.schema, entry));
    return [resource.list, sortEntries(entries, resource.sortFields)] as const;
  });
  return Object.fromEntries(lists.filter(([, entries]) => entries.length > 0));
}

function sortEntries(entries: readonly DocumentEntry[], fields: readonly string[]): DocumentEntry[] {
  const key = (entry: DocumentEntry) => fields.map((field) => String(entry[field] ?? '')).join('\n');
  return [...entries].sort((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
}

/** Selects the fields of the schema in its order; empty fields are omitted. */
function selectFields({ properties = {} }: JsonSchema, entry: DocumentEntry): DocumentEntry {
  const isFull = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  const names = Object.keys(properties).filter((name) => isFull(entry[name]));
  return Object.fromEntries(names.map((name) => [name, entry[name]]));
}
