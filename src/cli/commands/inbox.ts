/** `iam inbox`: the messages that a server sent, and the codes in them. */
import type { Command } from 'commander';
import { addCommand, type CommandOptions, setAction } from '../command.ts';
import {
  buildListShape,
  type ControlFilters,
  callControlPlane,
  controlPlaneNote,
  createControlPageSource,
} from '../control-plane.ts';
import { addListOptions, parseListLimits, printPages } from '../pagination.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { CliError } from '../runtime/errors.ts';
import { deadlineAfter, parseWaitSeconds, waitDescription, waitFor } from './wait.ts';

const path = '/_iam/inbox';
const columns = [
  ...['id', 'to', 'purpose', 'code', 'createdAt'],
  ...['channel', 'expiresAt', 'attemptsLeft', 'supersededBy', 'failure', 'text'],
];
const tableColumnCount = 5;
const purposeDescription = 'only messages of this purpose, such as recovery or mfa';

/** Adds the commands of the noun. */
export function addInbox(noun: Command, runtime: CliRuntime): void {
  addListCommand(noun, runtime);
  addCodeCommand(noun, runtime);
  addWaitCommand(noun, runtime);
}

function addListCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'list', {
    title: 'Lists messages, the newest first',
    description: `Some recipients choose what becomes of messages to them, for tests: fixed+123456@inbox.example has this code, late+30s@inbox.example gets it later, and there are never@, twice@ and bounced@ (docs/recipients.md). ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'The last hundred', command: '' },
      { title: 'To one address, with their texts', command: '--to alice@example.com -o wide' },
    ],
  })
    .alias('ls')
    .option('--to <address>', 'only messages to this address or number')
    .option('--purpose <purpose>', purposeDescription);
  addListOptions(command);
  setAction(command, runtime, (context, _, options) => {
    const source = createControlPageSource(context, path, readFilters(options));
    return printPages(context, source, buildListShape(columns, tableColumnCount), parseListLimits(options));
  });
}

function addCodeCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'code', {
    title: 'Prints the code that was last sent to an address, and nothing else',
    description: `Only a code that is still good; exit code 3 where there is none. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'The code to type', command: 'alice@example.com' },
      { title: 'In a script, after a call that sends one', command: 'alice@example.com --purpose recovery --wait 10s' },
    ],
  })
    .argument('<address>', 'E-mail address, or number with its plus sign')
    .option('--purpose <purpose>', purposeDescription)
    .option('--wait <seconds>', waitDescription);
  setAction(command, runtime, async (context, [address], options) => {
    const filters = { ...readFilters(options), to: String(address) };
    const code = await findCode(context, filters, parseWaitSeconds(options.wait ?? '0'));
    if (code === undefined) throw messageNotFoundError(`No code that is still good was sent to ${filters.to}.`);
    await context.printer.value(code);
  });
}

function addWaitCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'wait', {
    title: 'Waits for a message, and prints it',
    description: `The newest that is there already; with --after the first that came after that one. Exit code 3 where none came in time. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'Any message to an address', command: '--to alice@example.com' },
      { title: 'Only one that is new, for a minute', command: '--after ID --wait 60s -o json' },
    ],
  })
    .option('--to <address>', 'only messages to this address or number')
    .option('--purpose <purpose>', purposeDescription)
    .option('--after <id>', 'only messages that came after this one')
    .option('--wait <seconds>', `${waitDescription}; 10s where not given`);
  setAction(command, runtime, async (context, _, options) => {
    const filters = { ...readFilters(options), after: options.after as string | undefined };
    const item = await waitForMessage(context, filters, deadlineAfter(parseWaitSeconds(options.wait ?? '10')));
    if (!item) throw messageNotFoundError('No such message came in time.');
    await context.printer.value(item);
  });
}

interface Item {
  readonly id: string;
  readonly code?: string;
  /** There is one while the code is good. */
  readonly attemptsLeft?: number;
}

function readFilters({ to, purpose }: CommandOptions) {
  return { to: to as string | undefined, purpose: purpose as string | undefined };
}

/** The newest code that is good; where none is, the next that comes in so many seconds. */
async function findCode(context: Context, filters: ControlFilters, seconds: number): Promise<string | undefined> {
  const { body } = await callControlPlane(context, 'GET', path, { query: { ...filters, limit: 100 } });
  const items = body as readonly Item[];
  const found = items.find(isValid);
  if (found || seconds === 0) return found?.code;
  const end = deadlineAfter(seconds);
  let after = items[0]?.id;
  for (;;) {
    const item = await waitForMessage(context, { ...filters, after }, end);
    if (!item || isValid(item)) return item?.code;
    after = item.id;
  }
}

function isValid({ code, attemptsLeft }: Item): boolean {
  return code !== undefined && attemptsLeft !== undefined;
}

function waitForMessage(context: Context, query: ControlFilters, end: number): Promise<Item | undefined> {
  return waitFor<Item>(context, { path: `${path}/wait`, missing: 'MESSAGE_NOT_FOUND', query }, end);
}

function messageNotFoundError(message: string): CliError {
  const hint = 'See `iam inbox list` for what was sent; --wait waits for what is still to come.';
  return new CliError(message, { code: 'MESSAGE_NOT_FOUND', exitCode: 3, hint });
}
