/** `iam inbox`: the messages that a server sent, and the codes in them. */
import type { Command } from 'commander';
import { callControl, controlPages, type Filters, shapeOf, whereFrom } from '../control.ts';
import { addLeaf, type Options, runs } from '../leaf.ts';
import { addExtentOptions, extentOf, printPages } from '../list.ts';
import type { Context, Surroundings } from '../runtime/context.ts';
import { CliError } from '../runtime/failures.ts';
import { endOf, secondsOf, waitedFor, waitMeans } from './waiting.ts';

const path = '/_iam/inbox';
const columns = [
  ...['id', 'to', 'purpose', 'code', 'createdAt'],
  ...['channel', 'expiresAt', 'attemptsLeft', 'supersededBy', 'failure', 'text'],
];
const shownInTables = 5;
const purposeMeans = 'only messages of this purpose, such as recovery or mfa';

/** Adds the commands of the noun. */
export function addInbox(noun: Command, surroundings: Surroundings): void {
  addListCommand(noun, surroundings);
  addCodeCommand(noun, surroundings);
  addWaitCommand(noun, surroundings);
}

function addListCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'list', {
    title: 'Lists messages, the newest first',
    description: `Some recipients choose what becomes of messages to them, for tests: fixed+123456@inbox.example has this code, late+30s@inbox.example gets it later, and there are never@, twice@ and bounced@ (docs/recipients.md). ${whereFrom}`,
    effect: 'read',
    examples: [
      { title: 'The last hundred', command: '' },
      { title: 'To one address, with their texts', command: '--to alice@example.com -o wide' },
    ],
  })
    .alias('ls')
    .option('--to <address>', 'only messages to this address or number')
    .option('--purpose <purpose>', purposeMeans);
  addExtentOptions(command);
  runs(command, surroundings, (context, _, options) => {
    const source = controlPages(context, path, filtersOf(options));
    return printPages(context, source, shapeOf(columns, shownInTables), extentOf(options));
  });
}

function addCodeCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'code', {
    title: 'Prints the code that was last sent to an address, and nothing else',
    description: `Only a code that is still good; exit code 3 where there is none. ${whereFrom}`,
    effect: 'read',
    examples: [
      { title: 'The code to type', command: 'alice@example.com' },
      { title: 'In a script, after a call that sends one', command: 'alice@example.com --purpose recovery --wait 10s' },
    ],
  })
    .argument('<address>', 'E-mail address, or number with its plus sign')
    .option('--purpose <purpose>', purposeMeans)
    .option('--wait <seconds>', waitMeans);
  runs(command, surroundings, async (context, [address], options) => {
    const filters = { ...filtersOf(options), to: String(address) };
    const code = await codeFor(context, filters, secondsOf(options.wait ?? '0'));
    if (code === undefined) throw nothingFound(`No code that is still good was sent to ${filters.to}.`);
    await context.printer.value(code);
  });
}

function addWaitCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'wait', {
    title: 'Waits for a message, and prints it',
    description: `The newest that is there already; with --after the first that came after that one. Exit code 3 where none came in time. ${whereFrom}`,
    effect: 'read',
    examples: [
      { title: 'Any message to an address', command: '--to alice@example.com' },
      { title: 'Only one that is new, for a minute', command: '--after ID --wait 60s -o json' },
    ],
  })
    .option('--to <address>', 'only messages to this address or number')
    .option('--purpose <purpose>', purposeMeans)
    .option('--after <id>', 'only messages that came after this one')
    .option('--wait <seconds>', `${waitMeans}; 10s where not given`);
  runs(command, surroundings, async (context, _, options) => {
    const filters = { ...filtersOf(options), after: options.after as string | undefined };
    const item = await nextMessage(context, filters, endOf(secondsOf(options.wait ?? '10')));
    if (!item) throw nothingFound('No such message came in time.');
    await context.printer.value(item);
  });
}

interface Item {
  readonly id: string;
  readonly code?: string;
  /** There is one while the code is good. */
  readonly attemptsLeft?: number;
}

function filtersOf({ to, purpose }: Options) {
  return { to: to as string | undefined, purpose: purpose as string | undefined };
}

/** The newest code that is good; where none is, the next that comes in so many seconds. */
async function codeFor(context: Context, filters: Filters, seconds: number): Promise<string | undefined> {
  const { body } = await callControl(context, 'GET', path, { query: { ...filters, limit: 100 } });
  const items = body as readonly Item[];
  const found = items.find(isGood);
  if (found || seconds === 0) return found?.code;
  const end = endOf(seconds);
  let after = items[0]?.id;
  for (;;) {
    const item = await nextMessage(context, { ...filters, after }, end);
    if (!item || isGood(item)) return item?.code;
    after = item.id;
  }
}

function isGood({ code, attemptsLeft }: Item): boolean {
  return code !== undefined && attemptsLeft !== undefined;
}

function nextMessage(context: Context, query: Filters, end: number): Promise<Item | undefined> {
  return waitedFor<Item>(context, { path: `${path}/wait`, missing: 'MESSAGE_NOT_FOUND', query }, end);
}

function nothingFound(message: string): CliError {
  const fix = 'See `iam inbox list` for what was sent; --wait waits for what is still to come.';
  return new CliError(message, { code: 'MESSAGE_NOT_FOUND', exitCode: 3, fix });
}
