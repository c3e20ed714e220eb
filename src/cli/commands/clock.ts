/** `iam clock`: what time the server goes by, and another one for it. */
import type { Command } from 'commander';
import { addCommand, type CommandDescription, type CommandOptions, setAction } from '../command.ts';
import { callControlPlane, controlPlaneNote, controlRequestPreview } from '../control-plane.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { printRequestPreview, printResponse } from '../send.ts';

const path = '/_iam/clock';

export const clockText: CommandDescription = {
  title: 'Shows the clock of the server, or sets it',
  description: `All that the server dates, and all that ends, goes by its clock; waits and time-outs do not. ${controlPlaneNote}`,
  effect: 'read',
  examples: [
    { title: 'What time it is there', command: '' },
    { title: 'An hour later', command: 'advance 1h' },
    { title: 'Stand still just before a token ends', command: 'to-expiry TOKEN_ID --offset -1s --freeze' },
  ],
};

/** Adds the command, and those below it. */
export function addClock(program: Command, runtime: CliRuntime): void {
  const command = addCommand(program, 'clock', clockText);
  setAction(command, runtime, show);
  setAction(
    addCommand(command, 'show', { ...clockText, title: 'Shows the clock of the server', examples: showExamples }),
    runtime,
    show,
  );
  addSet(command, runtime);
  addAdvance(command, runtime);
  addToExpiry(command, runtime);
  for (const plain of simpleCommands) addSimple(command, plain, runtime);
}

const showExamples = [{ title: 'As JSON', command: '-o json' }];
const freezeDescription = 'and stand still there';

function addSet(clock: Command, runtime: CliRuntime): void {
  const command = addCommand(clock, 'set', {
    title: 'Sets the clock to a time',
    description: `Forward or back; it goes on from there unless it stands still. ${controlPlaneNote}`,
    effect: 'write',
    idempotent: true,
    examples: [
      { title: 'To the end of a year', command: '2030-12-31T23:59:00Z' },
      { title: 'And no further', command: '2030-01-31T12:00:00+01:00 --freeze' },
    ],
  })
    .argument('<time>', 'ISO 8601 with a time zone')
    .option('--freeze', freezeDescription);
  setAction(command, runtime, (context, [time], options) =>
    putClock(context, { set: time, ...readFreeze(options) }, options),
  );
}

function addAdvance(clock: Command, runtime: CliRuntime): void {
  const command = addCommand(clock, 'advance', {
    title: 'Sets the clock forward by a length of time',
    description: `Units are ms, s, m, h, d and w. After -- it takes one with a minus sign, to go back. ${controlPlaneNote}`,
    effect: 'write',
    examples: [
      { title: 'Ten minutes later', command: '10m' },
      { title: 'A week and a second later', command: '7d1s' },
      { title: 'An hour back', command: '-- -1h' },
    ],
  })
    .argument('<duration>', 'such as 90s, 10m, 1h30m or 7d')
    .option('--freeze', freezeDescription);
  setAction(command, runtime, (context, [advance], options) =>
    putClock(context, { advance, ...readFreeze(options) }, options),
  );
}

function addToExpiry(clock: Command, runtime: CliRuntime): void {
  const command = addCommand(clock, 'to-expiry', {
    title: 'Sets the clock to when something ends',
    description: `Exit code 3 where nothing by that name ends. A clock that goes on passes the end soon after; --freeze keeps it there. ${controlPlaneNote}`,
    effect: 'write',
    idempotent: true,
    examples: [
      { title: 'When a code is over', command: 'MESSAGE_ID' },
      { title: 'The last second of a session', command: 'SESSION_ID --offset -1s --freeze' },
    ],
  })
    .argument('<name>', 'jti of an access token, or id of a challenge, a message or a session')
    .option('--offset <duration>', 'so much later, or earlier with a minus sign: -1s')
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
    title: 'Stops the clock',
    description: 'It tells this moment until it is set, or goes on.',
    body: { freeze: true },
  },
  {
    name: 'unfreeze',
    title: 'Lets the clock go on',
    description: 'From the time that it stands at.',
    body: { freeze: false },
  },
  {
    name: 'reset',
    title: "Goes by the machine's clock again",
    description: 'As if it had never been set.',
    body: { reset: true },
  },
];

function addSimple(clock: Command, { name, title, description, body }: SimpleCommand, runtime: CliRuntime): void {
  const command = addCommand(clock, name, {
    title,
    description: `${description} ${controlPlaneNote}`,
    effect: 'write',
    idempotent: true,
    examples: [{ title: 'Now', command: '' }],
  });
  setAction(command, runtime, (context, _, options) => putClock(context, body, options));
}

async function show(context: Context): Promise<void> {
  const { body } = await callControlPlane(context, 'GET', path);
  await context.printer.value(body);
}

type Body = Readonly<Record<string, unknown>>;

function readFreeze({ freeze }: CommandOptions): Body {
  return freeze === true ? { freeze } : {};
}

async function putClock(context: Context, body: Body, options: CommandOptions): Promise<void> {
  if (options.dryRun === true)
    return printRequestPreview(context, { ...controlRequestPreview(context, 'PUT', path), body });
  const answer = await callControlPlane(context, 'PUT', path, { body });
  await printResponse(context, answer.body, '');
}
