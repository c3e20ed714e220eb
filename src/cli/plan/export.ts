/** `iam export`: builds a document of all resources without secrets, in a stable order. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { CommandOptions, Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { requireSendableCredentials } from '../http/connection.ts';
import { escapeControls } from '../io/control-characters.ts';
import { formatYaml } from '../io/yaml.ts';
import type { DocumentEntry, ListName } from './model/desired-entries.ts';
import type { Member } from './model/members.ts';
import { type ExportNote, Portable } from './model/portable.ts';
import { emptyRemoteState, type RemoteState } from './model/remote-state.ts';
import { readControlPage } from './read-list.ts';
import { emptyScope, readNames, refresh } from './refresh.ts';
import type { Resource } from './resource.ts';
import { documentResources } from './resources/index.ts';

/** Names the schema for editors with the YAML language server; `iam schema provisioning` prints it. */
const editorHint = '# yaml-language-server: $schema=provisioning.schema.json';

const neverExported =
  'Users, passwords and secrets are never exported: create the users before you apply this elsewhere.';

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
  if (!hasControl)
    notice(
      'The control plane is disabled: clients, their API keys, customers and business users are not exported, and members only by their ids.',
    );
  const state = await readRemoteState(context, exported, hasControl);
  const portable = new Portable(state, options.withBuiltIn === true);
  const document = buildExportDocument(state, exported, portable);
  if (printer.format === 'json') await printer.value(document);
  else {
    const yaml = formatYaml(document, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
    const notes = [neverExported, ...portable.notes.map((note) => formatNote(note))];
    printer.verbatim([editorHint, ...notes.map((line) => `# ${line}`), yaml]);
  }
  // The document in YAML names them all.
  const shown = printer.format === 'json' ? Number.POSITIVE_INFINITY : maxNames;
  for (const note of portable.notes) notice(formatNote(note, shown));
}

const maxNames = 10;

/** `left out: clients c1, c2: why`, in one line. */
function formatNote({ what, names, why }: ExportNote, max = Number.POSITIVE_INFINITY): string {
  const more = names.length > max ? ` and ${names.length - max} more, which the document names` : '';
  return escapeControls(`${what} ${names.slice(0, max).join(', ')}${more}: ${why}`);
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
  const complete = await refresh(context, state, { ...emptyScope, members: [...(state.groups?.keys() ?? [])] });
  return hasControl ? readNames(context, complete, listNamed(complete)) : complete;
}

/** The users and businesses that the entries refer to. */
function listNamed({ members, customers = [], corporateGroups = [] }: RemoteState) {
  const all = [...members.values()].flatMap((inGroup) => [...inGroup.values()]);
  const isBusiness = ({ kind }: Member) => kind === 'business';
  return {
    users: [
      ...all.filter((member) => member.kind === 'user' || member.kind === 'businessUser').map(({ id }) => id),
      ...customers.flatMap(({ userId }) => userId ?? []),
    ],
    businesses: [
      ...all.filter(isBusiness).map(({ id }) => id),
      ...all.flatMap(({ businessId }) => businessId ?? []),
      ...corporateGroups.flatMap(({ businesses }) => businesses),
    ],
  };
}

/** Builds the entries of the requested kinds; empty kinds are omitted. */
function buildExportDocument(
  state: RemoteState,
  exported: readonly Resource[],
  portable: Portable,
): Readonly<Record<string, readonly DocumentEntry[]>> {
  const lists = exported.map((resource) => {
    const entries = resource.export(state, portable).map((entry) => selectFields(resource.schema, entry));
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
