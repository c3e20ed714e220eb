/** `iam inbox`: shows messages sent by a server and the one-time codes in them. */
import type { Command } from 'commander';
import { reference } from '../../contract/entities.ts';
import { addCommand, setAction } from '../command.ts';
import type { CliRuntime, CommandOptions } from '../context.ts';
import { CliError } from '../errors.ts';
import { resolveBaseUrl } from '../http/connection.ts';
import { declareValueSources } from '../prompts/value-sources.ts';
import { controlPlaneNote } from '../request/control-plane.ts';
import { printControlList, sendControlWrite } from '../request/control-requests.ts';
import { addListOptions } from '../request/pagination.ts';
import { NameResolver } from '../request/resolve-names.ts';
import { deadlineAfter, parseWaitSeconds, waitDescription } from '../request/wait.ts';
import { findInboxCode, inboxPath, waitForMessage } from './users/inbox-codes.ts';

const columns = [
  ...['id', 'to', 'purpose', 'code', 'createdAt'],
  ...['channel', 'subject', 'expiresAt', 'attemptsLeft', 'used', 'supersededBy', 'failure', 'text'],
];
const text = ['failure', 'text'];
const user = reference('user', ['id']);
const purposeDescription = 'only messages of this purpose, such as recovery or mfa';

export function addInbox(noun: Command, runtime: CliRuntime): void {
  addListCommand(noun, runtime);
  addCodeCommand(noun, runtime);
  addWaitCommand(noun, runtime);
  addClearCommand(noun, runtime);
}

function addListCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'list', {
    title: 'List sent messages, newest first',
    description: `Test recipients control the delivery: fixed+123456@inbox.example receives this code, late+30s@inbox.example receives it with a delay; never@, twice@ and bounced@ exist as well (docs/recipients.md). ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'List messages', command: '' },
      { title: 'List messages to an address, with their texts', command: '--to alice@example.com -o wide' },
    ],
  })
    .alias('ls')
    .option('--to <address>', 'only messages to this address or phone number')
    .option('--purpose <purpose>', purposeDescription)
    .option('--user-id <user>', 'only messages to the present contacts of this user, by id or login name')
    .option('--text <text>', 'only messages whose recipient, subject or text contains this');
  addListOptions(command);
  declareValueSources(command, { '--user-id': user });
  setAction(command, runtime, async (context, _, options) => {
    const userId = await new NameResolver(context).resolveOptional(user, options.userId);
    return printControlList(context, options, {
      ...{ path: inboxPath, columns, main: 5, text },
      filters: { ...readFilters(options), userId, text: options.text as string | undefined },
    });
  });
}

function addCodeCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'code', {
    title: 'Print the last one-time code sent to an address',
    description: `Prints only a code that is still valid; exits with 3 if there is none. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'Print the code', command: 'alice@example.com' },
      { title: 'Wait for a code in a script', command: 'alice@example.com --purpose recovery --wait 10s' },
    ],
  })
    .argument('<address>', 'E-mail address, or phone number with a plus sign')
    .option('--purpose <purpose>', purposeDescription)
    .option('--wait <seconds>', waitDescription);
  setAction(command, runtime, async (context, [address], options) => {
    const filters = { ...readFilters(options), to: String(address) };
    const code = await findInboxCode(context, filters, parseWaitSeconds(options.wait ?? '0'));
    if (code === undefined) throw messageNotFoundError(`No valid code for ${filters.to} found.`);
    await context.printer.value(code);
  });
}

function addWaitCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'wait', {
    title: 'Wait for a message and print it',
    description: `Returns the newest existing message; with --after, the first message after that one. Exits with 3 on timeout. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'Wait for any message to an address', command: '--to alice@example.com' },
      { title: 'Wait up to a minute for a new message', command: '--after ID --wait 60s -o json' },
    ],
  })
    .option('--to <address>', 'only messages to this address or phone number')
    .option('--purpose <purpose>', purposeDescription)
    .option('--after <id>', 'only messages sent after this one')
    .option('--wait <seconds>', `${waitDescription}, default 10s`);
  setAction(command, runtime, async (context, _, options) => {
    const filters = { ...readFilters(options), after: options.after as string | undefined };
    const item = await waitForMessage(context, filters, deadlineAfter(parseWaitSeconds(options.wait ?? '10')));
    if (!item) throw messageNotFoundError('No matching message was sent before the timeout.');
    await context.printer.value(item);
  });
}

function addClearCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'clear', {
    title: 'Delete all messages of the inbox',
    description: `Their codes stay valid until they expire. ${controlPlaneNote}`,
    effect: 'destructive',
    examples: [{ title: 'Clean up after a test', command: '--yes' }],
  });
  setAction(command, runtime, (context, _, options) => {
    const question = `Delete all messages of ${resolveBaseUrl(context.settings)}?`;
    return sendControlWrite(context, options, { method: 'DELETE', path: inboxPath, question, done: 'Deleted.' });
  });
}

function readFilters({ to, purpose }: CommandOptions) {
  return { to: to as string | undefined, purpose: purpose as string | undefined };
}

function messageNotFoundError(message: string): CliError {
  const hint = 'List messages with `iam inbox list`, or increase --wait.';
  return new CliError(message, { code: 'MESSAGE_NOT_FOUND', exitCode: 3, hint });
}
