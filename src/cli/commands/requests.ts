/** `iam requests`: the last calls that a server answered. */

import type { Command } from 'commander';
import { reference } from '../../contract/entities.ts';
import { addCommand, type CommandOptions, setAction } from '../command.ts';
import { buildListShape, callControlPlane, controlPlaneNote, createControlPageSource } from '../control-plane.ts';
import { addFieldOption, createField } from '../field-options.ts';
import { addListOptions, parseListLimits, printPages } from '../pagination.ts';
import type { CliRuntime } from '../runtime/context.ts';
import { CliError } from '../runtime/errors.ts';
import { takes } from '../value-sources.ts';
import { deadlineAfter, parseWaitSeconds, waitDescription, waitFor } from './wait.ts';

const path = '/_iam/requests';
const columns = [
  ...['id', 'status', 'operation', 'errors', 'caller'],
  ...['at', 'milliseconds', 'method', 'path', 'clientId', 'userId', 'fault'],
];
const tableColumnCount = 5;
const filters = ['operation', 'caller', 'status', 'error'] as const;

/** Adds the commands of the noun. */
export function addRequests(noun: Command, runtime: CliRuntime): void {
  addListCommand(noun, runtime);
  addShowCommand(noun, runtime);
  addWaitCommand(noun, runtime);
}

function addListCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'list', {
    title: 'Lists the last calls, the newest first',
    description: `Calls to the control plane itself are not among them. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'The last hundred', command: '' },
      { title: 'What was refused to a caller', command: '--caller billing-service --status 4xx' },
      { title: 'Who lacked a role', command: '--error ROLE_MISSING -o json' },
    ],
  }).alias('ls');
  addFilterOptions(command);
  addListOptions(command);
  setAction(command, runtime, (context, _, options) =>
    printPages(
      context,
      createControlPageSource(context, path, readFilters(options)),
      buildListShape(columns, tableColumnCount),
      parseListLimits(options),
    ),
  );
}

function addFilterOptions(command: Command): void {
  command
    .option('--operation <id>', 'only calls of this operation, such as groups.create')
    .option('--caller <id>', 'only calls by this subject, client or user')
    .option('--status <status>', 'only answers of this status, or of a class such as 4xx')
    .option('--error <code>', 'only answers with this error code');
}

function readFilters(options: CommandOptions): Record<string, string | undefined> {
  return Object.fromEntries(filters.map((name) => [name, options[name] as string | undefined]));
}

function addShowCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'show', {
    title: 'Shows a call with its bodies, without secrets',
    description: `Why it was refused tells \`iam why\`. ${controlPlaneNote}`,
    effect: 'read',
    examples: [{ title: 'A call whose id an error named', command: 'REQUEST_ID -o json' }],
  }).argument('<request>', 'Id of the request, as X-Request-Id and every error give it');
  takes(command, { request: reference('request', ['id']) });
  setAction(command, runtime, async (context, [request]) => {
    const { body } = await callControlPlane(context, 'GET', `${path}/${encodeURIComponent(String(request))}`);
    await context.printer.value(body);
  });
}

function addWaitCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'wait', {
    title: 'Waits for calls, and prints them',
    description: `Those that are kept already count as well; with --after only those that came after that one. Exit code 3 where there were fewer in time. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'Until the program under test has made a group', command: '--operation groups.create --status 201' },
      { title: 'Three logins, within a minute', command: '--operation user-identities.login --count 3 --wait 60s' },
    ],
  });
  addFilterOptions(command);
  addFieldOption(
    command,
    createField(['count'], { type: 'integer', description: 'how many calls; 1 where not given' }, false),
  );
  command
    .option('--after <request>', 'only calls that came after this one')
    .option('--wait <seconds>', `${waitDescription}; 10s where not given`);
  takes(command, { '--after': reference('request', ['id']) });
  setAction(command, runtime, async (context, _, options) => {
    const query = {
      ...readFilters(options),
      count: options.count as number | undefined,
      after: options.after as string | undefined,
    };
    const waitRequest = { path: `${path}/wait`, missing: 'REQUEST_NOT_FOUND', query };
    const calls = await waitFor<object[]>(context, waitRequest, deadlineAfter(parseWaitSeconds(options.wait ?? '10')));
    if (!calls) throw tooFewCallsError();
    await printPages(context, async () => ({ items: calls }), buildListShape(columns, tableColumnCount), { all: true });
  });
}

function tooFewCallsError(): CliError {
  const hint = 'See `iam requests list` for what was called; --wait waits for what is still to come.';
  return new CliError('Too few such calls came in time.', { code: 'REQUEST_NOT_FOUND', exitCode: 3, hint });
}
