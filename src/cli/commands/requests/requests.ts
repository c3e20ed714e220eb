/** `iam requests`: shows the request log of a server. */

import type { Command } from 'commander';
import { reference } from '../../../contract/entities.ts';
import type { Manifest } from '../../../contract/manifest-types.ts';
import { servicePrefix } from '../../../contract/prefix.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { jsonText } from '../../io/control-characters.ts';
import { getTerminalWidth } from '../../io/io.ts';
import { type DetailList, formatDetails } from '../../output/details.ts';
import type { NameOf } from '../../output/name-columns.ts';
import type { TableRow } from '../../output/table.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { buildListShape, callControlPlane, controlPlaneNote } from '../../request/control-plane.ts';
import { printControlList, summarizeForTables } from '../../request/control-requests.ts';
import { addFieldOption, createField } from '../../request/field-options.ts';
import { resolveOperation } from '../../request/operation-names.ts';
import { addListOptions, printPages } from '../../request/pagination.ts';
import { deadlineAfter, parseWaitSeconds, waitDescription, waitFor } from '../../request/wait.ts';
import { callerNotFoundError, findCallerId } from './find-caller.ts';

const path = '/_iam/requests';
const columns = [
  ...['id', 'at', 'status', 'method', 'path', 'errors', 'caller'],
  ...['callerName', 'operation', 'milliseconds', 'clientId', 'userId', 'flow', 'fault', 'testToken', 'byConsole'],
];
const references = { clientId: reference('client', ['id']), userId: reference('user', ['id']) };
const tableColumnCount = 7;
const required = columns.slice(0, 5);
const filters = ['operation', 'caller', 'status', 'error', 'flow'] as const;

export function addRequests(noun: Command, runtime: CliRuntime): void {
  addListCommand(noun, runtime);
  addShowCommand(noun, runtime);
  addWaitCommand(noun, runtime);
}

function addListCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'list', {
    title: 'List recent requests, newest first',
    description: `Requests to the control plane itself are not listed, and reads of the web console only with --console. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'List requests', command: '' },
      { title: 'List rejected requests of a caller', command: '--caller billing-service --status 4xx' },
      { title: 'List requests that lacked a role', command: '--error ROLE_MISSING -o json' },
    ],
  }).alias('ls');
  addFilterOptions(command);
  command.option('--console', 'also reads of the web console');
  addListOptions(command);
  setAction(command, runtime, async (context, _, options) => {
    const { caller, ...others } = readFilters(context.manifest, options);
    const found = caller === undefined ? undefined : await findCallerId(context, caller);
    await printControlList(context, options, {
      path,
      // The log has requests of callers that are removed, too.
      filters: { ...others, caller: found ?? caller, console: options.console as boolean | undefined },
      assertKnown: async () => {
        if (caller !== undefined && found === undefined) throw callerNotFoundError(caller);
      },
      columns,
      main: tableColumnCount,
      references,
      required,
      summarize,
    });
  });
}

/** The request in a table: the time to the second, and no prefix of the service and no id of the caller, which leave no space. */
function summarize({ at, path: requested, caller, callerName, ...entry }: TableRow, nameOf: NameOf): TableRow {
  return {
    ...entry,
    // A login has no name in the log.
    caller: callerName ?? findCallerName(String(caller), nameOf),
    at: String(at).replace(/\.\d+Z$/, 'Z'),
    path: String(requested).replace(`${servicePrefix}/`, '/'),
  };
}

function findCallerName(id: string, nameOf: NameOf): string {
  return nameOf('user', id) ?? nameOf('client', id) ?? id;
}

function addFilterOptions(command: Command): void {
  command
    .option('--operation <name>', 'only requests for this operation, by its id or command: groups.create')
    .option('--caller <caller>', 'only requests of this subject, client or user, by id or name')
    .option('--status <status>', 'only responses with this status, or a class such as 4xx; several: 4xx,5xx')
    .option('--error <code>', 'only responses with this error code')
    .option('--flow <flow>', 'only requests of this login with a browser or of a device');
  const callers = [reference('user', ['name']), reference('client', ['serviceAccount'])];
  declareValueSources(command, { '--operation': 'operation', '--caller': callers });
}

function readFilters(manifest: Manifest, options: CommandOptions): Record<string, string | undefined> {
  const values = Object.fromEntries(filters.map((name) => [name, options[name] as string | undefined]));
  const { operation: name } = values;
  return name === undefined ? values : { ...values, operation: resolveOperation(manifest, name).id };
}

const detailLists: readonly DetailList[] = [
  ...['headers', 'responseHeaders'].map(
    (property): DetailList => ({
      property,
      toRow: ({ name, value }) => ({ name, value }),
    }),
  ),
  {
    property: 'placeholders',
    toRow: ({ variable, in: part, path }) => ({ variable, in: part, field: (path as string[]).join('.') }),
  },
];

/** A cell shows only the value of an object with one field. */
function withJsonBodies(request: TableRow): TableRow {
  const bodies = ['body', 'responseBody'].filter((name) => request[name] !== undefined);
  return { ...request, ...Object.fromEntries(bodies.map((name) => [name, jsonText(request[name])])) };
}

function addShowCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'show', {
    title: 'Show a request with its bodies, without secrets',
    description: `To see why a request was rejected, use \`iam why\`. ${controlPlaneNote}`,
    effect: 'read',
    examples: [{ title: 'Show the request of an error', command: 'REQUEST_ID -o json' }],
  }).argument('<request>', 'Request id from X-Request-Id or an error');
  declareValueSources(command, { request: reference('request', ['id']) });
  setAction(command, runtime, async (context, [request]) => {
    const { body } = await callControlPlane(context, 'GET', `${path}/${encodeURIComponent(String(request))}`);
    const { printer, settings, io } = context;
    if (!printer.isForPeople || settings.options.columns !== undefined) return printer.value(body);
    printer.verbatim(await formatDetails(withJsonBodies(body as TableRow), detailLists, getTerminalWidth(io.stdout)));
  });
}

function addWaitCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'wait', {
    title: 'Wait for requests and print them',
    description: `Includes requests that are already in the log; with --after, only requests after that one. Exits with 3 if there are too few before the timeout. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      {
        title: 'Wait until the program under test has created a group',
        command: '--operation groups.create --status 201',
      },
      {
        title: 'Wait up to a minute for three logins',
        command: '--operation user-identities.login --count 3 --wait 60s',
      },
    ],
  });
  addFilterOptions(command);
  addFieldOption(
    command,
    createField(['count'], { type: 'integer', description: 'number of requests, default 1' }, false),
  );
  command
    .option('--after <request>', 'only requests after this one')
    .option('--wait <seconds>', `${waitDescription}, default 10s`);
  declareValueSources(command, { '--after': reference('request', ['id']) });
  setAction(command, runtime, async (context, _, options) => {
    const { caller, ...others } = readFilters(context.manifest, options);
    const query = {
      ...others,
      caller: caller === undefined ? undefined : ((await findCallerId(context, caller)) ?? caller),
      count: options.count as number | undefined,
      after: options.after as string | undefined,
    };
    const waitRequest = { path: `${path}/wait`, missing: 'REQUEST_NOT_FOUND', query };
    const items = await waitFor<object[]>(context, waitRequest, deadlineAfter(parseWaitSeconds(options.wait ?? '10')));
    if (!items) throw tooFewRequestsError();
    const rows = summarizeForTables(context, async () => ({ items }), summarize);
    const shape = { ...buildListShape(columns, tableColumnCount, references), required };
    await printPages(context, rows, shape, { all: true });
  });
}

function tooFewRequestsError(): CliError {
  const hint = 'List requests with `iam requests list`, or increase --wait.';
  return new CliError('Too few matching requests before the timeout.', {
    code: 'REQUEST_NOT_FOUND',
    exitCode: 3,
    hint,
  });
}
