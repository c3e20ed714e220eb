/** `iam clock`: shows and sets the clock of the server. */
import type { Command } from 'commander';
import { addCommand, type CommandDescription, setAction } from '../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';
import type { TableRow } from '../output/table.ts';
import { callControlPlane, controlPlaneNote } from '../request/control-plane.ts';
import { sendControlWrite } from '../request/control-requests.ts';

const path = '/_iam/clock';

const clockText: Omit<CommandDescription, 'title'> = {
  description: `All timestamps and expiry times of the server use this clock; waits and timeouts do not. ${controlPlaneNote}`,
  effect: 'read',
  examples: [
    { title: 'Show the clock', command: '' },
    { title: 'Advance the clock by one hour', command: 'advance 1h' },
    {
      title: 'Freeze the clock one second before a token expires',
      command: 'to-expiry TOKEN_ID --offset -1s --freeze',
    },
  ],
};

export function addClock(program: Command, runtime: CliRuntime, title: string): void {
  const command = addCommand(program, 'clock', { title, ...clockText });
  setAction(command, runtime, show);
  setAction(
    addCommand(command, 'show', { ...clockText, title: 'Show the server clock', examples: showExamples }),
    runtime,
    show,
  );
  addSet(command, runtime);
  addAdvance(command, runtime);
  addToExpiry(command, runtime);
  for (const simpleCommand of simpleCommands) addSimple(command, simpleCommand, runtime);
}

const showExamples = [{ title: 'Print as JSON', command: '-o json' }];
const freezeDescription = 'freeze the clock at that time';

function addSet(clock: Command, runtime: CliRuntime): void {
  const command = addCommand(clock, 'set', {
    title: 'Set the server clock to a time',
    description: `The time can be in the future or in the past. The clock keeps running unless it is frozen. ${controlPlaneNote}`,
    effect: 'write',
    idempotent: true,
    examples: [
      { title: 'Set the clock to the end of a year', command: '2030-12-31T23:59:00Z' },
      { title: 'Set and freeze the clock', command: '2030-01-31T12:00:00+01:00 --freeze' },
    ],
  })
    .argument('<time>', 'ISO 8601 time with a time zone')
    .option('--freeze', freezeDescription);
  setAction(command, runtime, (context, [time], options) =>
    putClock(context, { set: time, ...readFreeze(options) }, options),
  );
}

function addAdvance(clock: Command, runtime: CliRuntime): void {
  const command = addCommand(clock, 'advance', {
    title: 'Advance the server clock by a duration',
    description: `Units are ms, s, m, h, d and w. To move the clock back, pass a negative duration after --. ${controlPlaneNote}`,
    effect: 'write',
    examples: [
      { title: 'Advance by ten minutes', command: '10m' },
      { title: 'Advance by a week and a second', command: '7d1s' },
      { title: 'Move back by one hour', command: '-- -1h' },
    ],
  })
    .argument('<duration>', 'Duration such as 90s, 10m, 1h30m or 7d')
    .option('--freeze', freezeDescription);
  setAction(command, runtime, (context, [advance], options) =>
    putClock(context, { advance, ...readFreeze(options) }, options),
  );
}

function addToExpiry(clock: Command, runtime: CliRuntime): void {
  const command = addCommand(clock, 'to-expiry', {
    title: 'Set the server clock to the expiry of a token, challenge, message or session',
    description: `Exits with 3 if nothing with that id expires. A running clock passes the expiry time immediately; use --freeze to stay there. ${controlPlaneNote}`,
    effect: 'write',
    idempotent: true,
    examples: [
      { title: 'Expire a one-time code', command: 'MESSAGE_ID' },
      { title: 'Go to the last second of a session', command: 'SESSION_ID --offset -1s --freeze' },
    ],
  })
    .argument('<name>', 'jti of an access token, or id of a challenge, message or session')
    .option('--offset <duration>', 'duration to add to the expiry time; negative values such as -1s are allowed')
    .option('--freeze', freezeDescription);
  setAction(command, runtime, (context, [of], options) =>
    putClock(context, { to: 'expiry', of, offset: options.offset, ...readFreeze(options) }, options),
  );
}

interface SimpleCommand {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly body: Body;
}

const simpleCommands: readonly SimpleCommand[] = [
  {
    name: 'freeze',
    title: 'Freeze the server clock',
    description: 'The clock stays at the current time until you set or unfreeze it.',
    body: { freeze: true },
  },
  {
    name: 'unfreeze',
    title: 'Unfreeze the server clock',
    description: 'The clock continues from the time at which it was frozen.',
    body: { freeze: false },
  },
  {
    name: 'reset',
    title: 'Reset the server clock to the system time',
    description: 'Removes the offset and unfreezes the clock.',
    body: { reset: true },
  },
];

function addSimple(clock: Command, { name, title, description, body }: SimpleCommand, runtime: CliRuntime): void {
  const command = addCommand(clock, name, {
    title,
    description: `${description} ${controlPlaneNote}`,
    effect: 'write',
    idempotent: true,
    examples: [{ title, command: '' }],
  });
  setAction(command, runtime, (context, _, options) => putClock(context, body, options));
}

async function show(context: Context): Promise<void> {
  const { body } = await callControlPlane(context, 'GET', path);
  await context.printer.value(context.printer.isForPeople ? withUnit(body as TableRow) : body);
}

function withUnit({ offset, ...clock }: TableRow): TableRow {
  return { ...clock, offset: offset === undefined ? offset : `${offset} s` };
}

type Body = Readonly<Record<string, unknown>>;

function readFreeze({ freeze }: CommandOptions): Body {
  return freeze === true ? { freeze } : {};
}

function putClock(context: Context, body: Body, options: CommandOptions): Promise<void> {
  return sendControlWrite(context, options, { method: 'PUT', path, body, summarize: withUnit, done: '' });
}
