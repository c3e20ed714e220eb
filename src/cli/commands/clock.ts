/** `iam clock`: what time the server goes by, and another one for it. */
import type { Command } from 'commander';
import { callControl, controlPlan, whereFrom } from '../control.ts';
import { addLeaf, type LeafText, type Options, runs } from '../leaf.ts';
import type { Context, Surroundings } from '../runtime/context.ts';
import { printAnswer, printPlan } from '../send.ts';

const path = '/_iam/clock';

export const clockText: LeafText = {
  title: 'Shows the clock of the server, or sets it',
  description: `All that the server dates, and all that ends, goes by its clock; waits and time-outs do not. ${whereFrom}`,
  effect: 'read',
  examples: [
    { title: 'What time it is there', command: '' },
    { title: 'An hour later', command: 'advance 1h' },
    { title: 'Stand still just before a token ends', command: 'to-expiry TOKEN_ID --offset -1s --freeze' },
  ],
};

/** Adds the command, and those below it. */
export function addClock(program: Command, surroundings: Surroundings): void {
  const command = addLeaf(program, 'clock', clockText);
  runs(command, surroundings, show);
  runs(
    addLeaf(command, 'show', { ...clockText, title: 'Shows the clock of the server', examples: now }),
    surroundings,
    show,
  );
  addSet(command, surroundings);
  addAdvance(command, surroundings);
  addToExpiry(command, surroundings);
  for (const plain of plainOnes) addPlain(command, plain, surroundings);
}

const now = [{ title: 'As JSON', command: '-o json' }];
const freezeMeans = 'and stand still there';

function addSet(clock: Command, surroundings: Surroundings): void {
  const command = addLeaf(clock, 'set', {
    title: 'Sets the clock to a time',
    description: `Forward or back; it goes on from there unless it stands still. ${whereFrom}`,
    effect: 'write',
    idempotent: true,
    examples: [
      { title: 'To the end of a year', command: '2030-12-31T23:59:00Z' },
      { title: 'And no further', command: '2030-01-31T12:00:00+01:00 --freeze' },
    ],
  })
    .argument('<time>', 'ISO 8601 with a time zone')
    .option('--freeze', freezeMeans);
  runs(command, surroundings, (context, [time], options) => put(context, { set: time, ...freezing(options) }, options));
}

function addAdvance(clock: Command, surroundings: Surroundings): void {
  const command = addLeaf(clock, 'advance', {
    title: 'Sets the clock forward by a length of time',
    description: `Units are ms, s, m, h, d and w. After -- it takes one with a minus sign, to go back. ${whereFrom}`,
    effect: 'write',
    examples: [
      { title: 'Ten minutes later', command: '10m' },
      { title: 'A week and a second later', command: '7d1s' },
      { title: 'An hour back', command: '-- -1h' },
    ],
  })
    .argument('<duration>', 'such as 90s, 10m, 1h30m or 7d')
    .option('--freeze', freezeMeans);
  runs(command, surroundings, (context, [advance], options) =>
    put(context, { advance, ...freezing(options) }, options),
  );
}

function addToExpiry(clock: Command, surroundings: Surroundings): void {
  const command = addLeaf(clock, 'to-expiry', {
    title: 'Sets the clock to when something ends',
    description: `Exit code 3 where nothing by that name ends. A clock that goes on passes the end soon after; --freeze keeps it there. ${whereFrom}`,
    effect: 'write',
    idempotent: true,
    examples: [
      { title: 'When a code is over', command: 'MESSAGE_ID' },
      { title: 'The last second of a session', command: 'SESSION_ID --offset -1s --freeze' },
    ],
  })
    .argument('<name>', 'jti of an access token, or id of a challenge, a message or a session')
    .option('--offset <duration>', 'so much later, or earlier with a minus sign: -1s')
    .option('--freeze', freezeMeans);
  runs(command, surroundings, (context, [of], options) =>
    put(context, { to: 'expiry', of, offset: options.offset, ...freezing(options) }, options),
  );
}

interface Plain {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly body: Body;
}

const plainOnes: readonly Plain[] = [
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

function addPlain(clock: Command, { name, title, description, body }: Plain, surroundings: Surroundings): void {
  const command = addLeaf(clock, name, {
    title,
    description: `${description} ${whereFrom}`,
    effect: 'write',
    idempotent: true,
    examples: [{ title: 'Now', command: '' }],
  });
  runs(command, surroundings, (context, _, options) => put(context, body, options));
}

async function show(context: Context): Promise<void> {
  const { body } = await callControl(context, 'GET', path);
  await context.printer.value(body);
}

type Body = Readonly<Record<string, unknown>>;

function freezing({ freeze }: Options): Body {
  return freeze === true ? { freeze } : {};
}

async function put(context: Context, body: Body, options: Options): Promise<void> {
  if (options.dryRun === true) return printPlan(context, { ...controlPlan(context, 'PUT', path), body });
  const answer = await callControl(context, 'PUT', path, { body });
  await printAnswer(context, answer.body, '');
}
