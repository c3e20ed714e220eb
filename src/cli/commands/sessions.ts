/** `iam sessions`: who is signed in, and an end to it. */

import type { Command } from 'commander';
import { reference } from '../../contract/entities.ts';
import { type Answer, askFor } from '../asking/wanted.ts';
import { callControl, controlPages, controlPlan, shapeOf, whereFrom } from '../control.ts';
import { addLeaf, type Options, runs } from '../leaf.ts';
import { addExtentOptions, extentOf, printPages } from '../list.ts';
import type { Context, Surroundings } from '../runtime/context.ts';
import { usageError } from '../runtime/failures.ts';
import { canAsk } from '../runtime/prompt.ts';
import { confirmed, printAnswer, printPlan } from '../send.ts';
import { takes } from '../value-sources.ts';

const path = '/_iam/sessions';
const columns = [
  ...['sessionId', 'userId', 'clientId', 'level', 'endsAt'],
  ...['startedAt', 'renewable', 'remember', 'smart', 'logon', 'device'],
];
const shownInTables = 5;

/** Adds the commands of the noun. */
export function addSessions(noun: Command, surroundings: Surroundings): void {
  addListCommand(noun, surroundings);
  addEndCommand(noun, surroundings);
}

function addListCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'list', {
    title: 'Lists sessions that last',
    description: whereFrom,
    effect: 'read',
    examples: [
      { title: 'Of a user', command: '--user-id ID' },
      { title: 'All, with everything that is known of them', command: '--all -o wide' },
    ],
  })
    .alias('ls')
    .option('--user-id <id>', 'only sessions of this user')
    .option('--client-id <id>', 'only sessions through this client');
  addExtentOptions(command);
  takes(command, { '--user-id': reference('user', ['id']), '--client-id': reference('client', ['id']) });
  runs(command, surroundings, (context, _, { userId, clientId, ...options }) => {
    const filters = { userId: userId as string | undefined, clientId: clientId as string | undefined };
    const source = controlPages(context, path, filters);
    return printPages(context, source, shapeOf(columns, shownInTables), extentOf(options));
  });
}

function addEndCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'end', {
    title: 'Ends a session, or all of a user or through a client',
    description: `From the next call on their tokens are refused. ${whereFrom}`,
    effect: 'destructive',
    idempotent: true,
    examples: [
      { title: 'One of them', command: 'SESSION_ID' },
      { title: 'Sign a user out everywhere', command: '--user-id ID --yes' },
    ],
  })
    .argument('[session]', 'Id of the session')
    .option('--user-id <id>', 'end all sessions of this user')
    .option('--client-id <id>', 'end all sessions through this client');
  takes(command, {
    session: reference('session', ['id']),
    '--user-id': reference('user', ['id']),
    '--client-id': reference('client', ['id']),
  });
  runs(command, surroundings, async (context, [given], options) => {
    const isNamed = given !== undefined || options.userId !== undefined || options.clientId !== undefined;
    const session = isNamed ? given : await pickedSession(context, options);
    return end(context, session as string | undefined, options);
  });
}

/** Nothing where nobody can be asked: that there are three ways to say what to end is then told instead. */
async function pickedSession(context: Context, options: Options): Promise<Answer | undefined> {
  const isDry = options.dryRun === true;
  if (isDry || !canAsk(context.asking(false))) return undefined;
  const schema = { type: 'string', ...reference('session', ['id']) };
  const occasion = { context, example: 'iam sessions end SESSION_ID', mayAsk: true, known: {} };
  const [answer] = await askFor(occasion, [
    { name: 'session', label: 'Id of the session', typed: '<session>', schema },
  ]);
  return answer;
}

async function end(context: Context, sessionId: string | undefined, options: Options): Promise<void> {
  const query = {
    sessionId,
    userId: options.userId as string | undefined,
    clientId: options.clientId as string | undefined,
  };
  const [chosen, ...others] = Object.entries(query).filter(([, value]) => value !== undefined);
  if (!chosen || others.length > 0) throw usageError('Name one session, or give --user-id or --client-id.');
  if (options.dryRun === true) return printPlan(context, controlPlan(context, 'DELETE', path, query));
  await confirmed(context, questionOf(chosen), options);
  const { body } = await callControl(context, 'DELETE', path, { query });
  await printAnswer(context, body, '');
}

function questionOf([name, value]: readonly [string, string | undefined]): string {
  if (name === 'sessionId') return `End the session ${value}?`;
  return `End all sessions ${name === 'userId' ? 'of the user' : 'through the client'} ${value}?`;
}
