/** `iam audit`: who changed what on a server. */
import type { Command } from 'commander';
import { type ApiResponse, nextCursorOf } from '../../client/response.ts';
import {
  type AuditFilter,
  auditExtentHeader,
  describeAuditExtent,
  type FilteredEvent,
  matchesAuditFilter,
} from '../../contract/audit.ts';
import { describeFields, type FieldDifference } from '../../contract/changes/field-lines.ts';
import { reference } from '../../contract/entities.ts';
import { addCommand, type CommandDescription, setAction } from '../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { formatFieldLine } from '../output/field-lines.ts';
import type { NameOf } from '../output/name-columns.ts';
import type { TableRow } from '../output/table.ts';
import { declareValueSources } from '../prompts/value-sources.ts';
import { assertReferencesExist } from '../request/assert-exists.ts';
import { buildListShape, controlPlaneNote } from '../request/control-plane.ts';
import { printControlList, summarizeForTables } from '../request/control-requests.ts';
import { resolveOperation } from '../request/operation-names.ts';
import { addListOptions, parseListLimits } from '../request/pagination.ts';
import { NameResolver } from '../request/resolve-names.ts';
import { streamEvents } from './events.ts';
import { callerNotFoundError, findCallerId } from './requests/find-caller.ts';

const auditText: Omit<CommandDescription, 'title'> = {
  description: `Lists logins, changes and rejections of the server or the sandbox, with the values before and after: also those before a restart, if the server keeps an audit log in files, otherwise the last 5,000 of this run. With --follow, prints new events as they happen. Sensitive fields are only named. ${controlPlaneNote}`,
  effect: 'read',
  examples: [
    { title: 'Who changed a group', command: '--group ops' },
    { title: 'What a caller changed, with all values', command: '--caller alice --changed -o jsonl' },
    { title: 'Refused requests since a time', command: '--result refused --since 2026-03-01T12:00:00Z' },
  ],
};

const path = '/_iam/audit';
const columns = [
  ...['time', 'actor', 'operation', 'objects', 'changes', 'result', 'remoteAddress'],
  ...[
    'requestId',
    'error',
    'sequence',
    'event',
    'status',
    'reason',
    'subject',
    'rule',
    'byConsole',
    'changed',
    'truncated',
    'repeated',
    'server',
  ],
];
const tableColumnCount = 6;
/** How they fit: the result is left out first, as the changes say what was refused or failed. */
const fit = { text: ['actor', 'changes'], required: ['time', 'actor', 'operation', 'objects', 'changes'] };
const objectKinds = ['user', 'group', 'client', 'business'] as const;
const plainFilters = ['event', 'result', 'since', 'until'] as const;

export function addAudit(program: Command, runtime: CliRuntime, title: string): void {
  const command = addCommand(program, 'audit', { title, ...auditText })
    .option('--caller <caller>', 'only events of this user or client, by id or name')
    .option('--object <id>', 'only events about this object of any kind, by id or name');
  for (const kind of objectKinds)
    command.option(`--${kind} <${kind}>`, `only events about this ${kind}, by id or name`);
  command
    .option('--operation <name>', 'only events of this operation, by its id or command: groups.add-role')
    .option('--changed', 'only events that changed something: no refused requests, and no writes without effect')
    .option('--event <kind>', 'only events of this kind: administration or authentication')
    .option('--result <result>', 'only events with this result: granted, refused or failed')
    .option('--since <time>', 'only events from this time on, in UTC: 2026-03-01T12:00:00Z')
    .option('--until <time>', 'only events until this time')
    .option('--follow', 'print new events until Ctrl-C or --limit, and no earlier ones');
  addListOptions(command);
  const callers = [reference('user', ['name']), reference('client', ['serviceAccount'])];
  const objects = Object.fromEntries(objectKinds.map((kind) => [`--${kind}`, reference(kind, ['id'])]));
  declareValueSources(command, { '--operation': 'operation', '--caller': callers, ...objects });
  setAction(command, runtime, async (context, _, options) => {
    const filters = await readFilters(context, options);
    if (options.follow === true) return follow(context, filters, parseListLimits(options).limit);
    let last: ApiResponse | undefined;
    await printControlList(context, options, {
      ...{ path, filters, columns, main: tableColumnCount, summarize, ...fit },
      onPage: (response) => {
        last = response;
      },
      assertKnown: () => assertKnown(context, options, filters),
    });
    const note = last && nextCursorOf(last) === undefined ? describeExtent(last) : undefined;
    if (note !== undefined && context.printer.isForPeople) context.notice(note);
  });
}

function describeExtent({ headers }: ApiResponse): string | undefined {
  return describeAuditExtent(headers[auditExtentHeader.toLowerCase()]);
}

interface AuditFilters extends Omit<AuditFilter, 'object' | 'entity' | 'changed'> {
  readonly changed?: true | undefined;
  readonly entity?: (typeof objectKinds)[number] | undefined;
  readonly object?: string | undefined;
}

async function readFilters(context: Context, options: CommandOptions) {
  const { caller, operation, object } = options as Readonly<Record<string, string | undefined>>;
  const plain = Object.fromEntries(plainFilters.map((name) => [name, options[name] as string | undefined]));
  const kinds = objectKinds.filter((kind) => options[kind] !== undefined);
  const [entity, ...others] = kinds;
  if (others.length > 0 || (entity && object !== undefined))
    throw usageError('An event is found by one object: use one of --object, --user, --group, --client and --business.');
  return {
    ...plain,
    changed: options.changed === true || undefined,
    caller: caller === undefined ? undefined : ((await findCallerId(context, caller)) ?? caller),
    operation: operation?.startsWith('control.')
      ? operation
      : operation && resolveOperation(context.manifest, operation).id,
    entity,
    // Objects that were deleted have a name in the events only.
    object: entity
      ? await new NameResolver(context).resolve(reference(entity, ['id'])['x-reference'], String(options[entity]))
      : object,
  } satisfies AuditFilters;
}

/** @throws ClientError if a filter names what never existed, or what is known from no event */
async function assertKnown(context: Context, { caller }: CommandOptions, { entity, object }: AuditFilters) {
  if (caller !== undefined && (await findCallerId(context, String(caller))) === undefined)
    throw callerNotFoundError(String(caller));
  if (entity === undefined) return;
  const query = [{ name: 'object', schema: reference(entity, ['id']), required: false }];
  await assertReferencesExist(context, { params: [], query }, { query: { object } });
}

async function follow(
  context: Context,
  { object, ...filters }: AuditFilters,
  limit = Number.POSITIVE_INFINITY,
): Promise<void> {
  const filter = { ...filters, object: object === undefined ? undefined : [object] };
  const rows = async function* () {
    let count = 0;
    for await (const { data } of streamEvents(context, { topics: 'audit' })) {
      const { audit } = data as { readonly audit?: FilteredEvent };
      if (!audit || !matchesAuditFilter(audit, filter)) continue;
      const read = summarizeForTables(context, async () => ({ items: [audit] }), summarize);
      yield (await read({})).items;
      count += 1;
      if (count >= limit) return;
    }
  };
  await context.printer.list(rows(), { ...buildListShape(columns, tableColumnCount), ...fit });
}

interface NamedObject {
  readonly entity: string;
  readonly id: string;
  readonly name?: string;
}

interface ObjectChange extends NamedObject {
  readonly action: string;
  readonly fields: readonly FieldDifference[];
}

interface Actor {
  readonly kind: string;
  readonly name?: string;
}

/** The event in a table: names in place of ids, and the values of changed objects, or why nothing was changed. */
function summarize({ time, actor, byConsole, objects, changes = [], ...event }: TableRow, nameOf: NameOf): TableRow {
  const { name, kind } = actor as Actor;
  return {
    ...event,
    time: String(time).replace(/\.\d+Z$/, 'Z'),
    actor: byConsole ? `${name ?? kind}, by the console` : (name ?? kind),
    objects: (objects as readonly NamedObject[]).map(
      ({ entity, ...object }) => `${entity} ${object.name ?? object.id}`,
    ),
    changes:
      event.result === 'granted'
        ? (changes as readonly ObjectChange[])
            .map((change) => formatChange(change, nameOf))
            .filter((text) => text !== '')
            .join('; ')
        : `${event.result}: ${event.error ?? event.status ?? event.reason ?? 'no response'}`,
  };
}

/** Longer values are left out of tables. */
const maxValueLength = 40;

function formatChange({ entity, action, fields }: ObjectChange, nameOf: NameOf): string {
  if (action !== 'changed') return `${entity} ${action}`;
  const lines = describeFields(entity, fields).changes;
  const texts = lines.map((line) => {
    // The id of a service is its name.
    const text = formatFieldLine(line, (kind, id) => (kind === 'service' ? undefined : nameOf(kind, id)));
    return text.length - line.field.length <= maxValueLength ? text : line.field;
  });
  return texts.join(', ');
}
