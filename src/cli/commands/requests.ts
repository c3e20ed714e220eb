/** `iam requests`: the last calls that a server answered. */
import type { Command } from 'commander';
import { callControl, controlPages, shapeOf, whereFrom } from '../control.ts';
import { addLeaf, type Options, runs } from '../leaf.ts';
import { addExtentOptions, extentOf, printPages } from '../list.ts';
import type { Surroundings } from '../runtime/context.ts';

const path = '/_iam/requests';
const columns = [
  ...['id', 'status', 'operation', 'errors', 'caller'],
  ...['at', 'milliseconds', 'method', 'path', 'clientId', 'userId', 'fault'],
];
const shownInTables = 5;
const filters = ['operation', 'caller', 'status', 'error'] as const;

/** Adds the commands of the noun. */
export function addRequests(noun: Command, surroundings: Surroundings): void {
  addListCommand(noun, surroundings);
  addShowCommand(noun, surroundings);
}

function addListCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'list', {
    title: 'Lists the last calls, the newest first',
    description: `Calls to the control plane itself are not among them. ${whereFrom}`,
    effect: 'read',
    examples: [
      { title: 'The last hundred', command: '' },
      { title: 'What was refused to a caller', command: '--caller billing-service --status 4xx' },
      { title: 'Who lacked a role', command: '--error ROLE_MISSING -o json' },
    ],
  })
    .alias('ls')
    .option('--operation <id>', 'only calls of this operation, such as groups.create')
    .option('--caller <id>', 'only calls by this subject, client or user')
    .option('--status <status>', 'only answers of this status, or of a class such as 4xx')
    .option('--error <code>', 'only answers with this error code');
  addExtentOptions(command);
  runs(command, surroundings, (context, _, options) =>
    printPages(
      context,
      controlPages(context, path, filtersOf(options)),
      shapeOf(columns, shownInTables),
      extentOf(options),
    ),
  );
}

function filtersOf(options: Options): Record<string, string | undefined> {
  return Object.fromEntries(filters.map((name) => [name, options[name] as string | undefined]));
}

function addShowCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'show', {
    title: 'Shows a call with its bodies, without secrets',
    description: `Why it was refused tells \`iam why\`. ${whereFrom}`,
    effect: 'read',
    examples: [{ title: 'A call whose id an error named', command: 'REQUEST_ID -o json' }],
  }).argument('<request>', 'Id of the request, as X-Request-Id and every error give it');
  runs(command, surroundings, async (context, [request]) => {
    const { body } = await callControl(context, 'GET', `${path}/${encodeURIComponent(String(request))}`);
    await context.printer.value(body);
  });
}
