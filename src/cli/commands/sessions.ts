/** `iam sessions`: starts, lists and ends sessions. */

import type { Command } from 'commander';
import { reference } from '../../contract/entities.ts';
import { signInLevels } from '../../contract/testing/sign-in-levels.ts';
import { addCommand, setAction } from '../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { canPrompt } from '../io/prompt.ts';
import { type PromptAnswer, promptForValues } from '../prompts/missing-values.ts';
import { declareValueSources } from '../prompts/value-sources.ts';
import { callControlPlane, controlPlaneNote, controlRequestPreview } from '../request/control-plane.ts';
import { assertTargetExists, printControlList, removeTargets, sendControlWrite } from '../request/control-requests.ts';
import { assertTokenOptions, createdBy } from '../request/created-entity.ts';
import { addFieldOption, createField } from '../request/field-options.ts';
import { addListOptions } from '../request/pagination.ts';
import { printRequestPreview } from '../request/preview.ts';
import { NameResolver } from '../request/resolve-names.ts';
import { declareSecrets, withSecretOutput } from '../request/response-secrets.ts';
import { printResponse } from '../request/send.ts';
import { addSeveralHelp } from '../request/several-targets.ts';
import { addSortOption, readSort } from './control-lists.ts';

const path = '/_iam/sessions';
const columns = [
  ...['sessionId', 'userId', 'userName', 'clientId', 'clientName', 'level', 'kind', 'endsAt'],
  ...['startedAt', 'renewable', 'remember', 'smart', 'logon', 'device'],
];

const user = reference('user', ['id']);
const client = reference('client', ['id']);
const ownerSources = { '--user-id': user, '--client-id': client };

/** The ids of the user and the client in the options. */
async function resolveOwners(names: NameResolver, { userId, clientId }: CommandOptions) {
  return {
    userId: await names.resolveOptional(user, userId),
    clientId: await names.resolveOptional(client, clientId),
  };
}

export function addSessions(noun: Command, runtime: CliRuntime): void {
  addCreateCommand(noun, runtime);
  addListCommand(noun, runtime);
  addEndCommand(noun, runtime);
}

const createdResponse = declareSecrets('accessToken', 'refreshToken');

function addCreateCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'create', {
    title: 'Sign a user or a client in without a password',
    description: `A test feature: starts a session of a user at an authentication level. Without a user, --client-id issues an access token of that client, without a session. --show-token prints its tokens, --secret-output writes them to a file, one per line: the access token, then the refresh token if the client may renew tokens. ${controlPlaneNote}`,
    effect: 'write',
    examples: [
      {
        title: 'Store the access token of a user with MFA',
        command: 'alice --level AUTH-MFA --secret-output alice.token',
      },
      { title: 'Pass the token to a program', command: 'alice --show-token -o json' },
      { title: 'Obtain a token of a client', command: '--client-id billing-service --show-token' },
    ],
  }).argument('[user]', 'User, by id or login name');
  const level = {
    type: 'string' as const,
    enum: signInLevels,
    description: 'authentication level, default AUTH-BASIC',
  };
  addFieldOption(command, createField(['level'], level, false));
  command
    .option(
      '--client-id <client>',
      'client to sign in through, or without a user: to sign in; by id or service account; default: that of the server',
    )
    .option('--remember', 'start a remembered session, with short-lived access tokens')
    .option('--show-token', 'also print the tokens, which are secrets')
    .option('--secret-output <file>', 'write the tokens to a new file that only you can read');
  declareValueSources(command, { user, '--client-id': client });
  setAction(command, runtime, async (context, [name], options) => {
    assertTokenOptions(context, options);
    const names = new NameResolver(context, options.dryRun === true);
    const userName = name ?? (options.clientId === undefined ? await promptUser(context, options) : undefined);
    assertClientOptions(userName, options);
    const { userId, clientId } = await resolveOwners(names, { userId: userName, clientId: options.clientId });
    const body = { userId, clientId, level: options.level, remember: options.remember };
    if (options.dryRun === true) {
      names.printResolved();
      return printRequestPreview(context, { ...controlRequestPreview(context, 'POST', path), body });
    }
    await createSession(context, body, options);
  });
}

/** A client token has neither a level nor a session. @throws CliError (exit 2) */
function assertClientOptions(user: unknown, { level, remember }: CommandOptions): void {
  if (user === undefined && (level !== undefined || remember === true))
    throw usageError('--level and --remember apply to the session of a user, and --client-id alone has none.');
}

async function promptUser(context: Context, options: CommandOptions): Promise<PromptAnswer | undefined> {
  const schema = { type: 'string', ...user };
  const allowsPrompts = options.dryRun !== true;
  const promptContext = { context, example: 'iam sessions create alice', allowsPrompts, known: {} };
  const [answer] = await promptForValues(promptContext, [{ name: 'user', usage: '<user>', schema }]);
  return answer;
}

async function createSession(context: Context, body: object, options: CommandOptions): Promise<void> {
  const request = async () => (await callControlPlane(context, 'POST', path, { body })).body;
  const file = options.secretOutput as string | undefined;
  const response =
    file === undefined ? await request() : await withSecretOutput(context, createdResponse, file, request);
  const { sessionId, userId, ...token } = response as Readonly<Record<string, unknown>>;
  // A file that could not be written leaves the tokens in the response: they are printed then.
  const isShown = options.showToken === true || (file !== undefined && token.accessToken !== undefined);
  const created =
    sessionId === undefined ? undefined : { ...createdBy('sessions end', String(sessionId)), hasSecret: isShown };
  await printResponse(context, { sessionId, userId, ...(isShown ? token : {}) }, '', created);
  if (file === undefined && !isShown)
    context.notice('The tokens are not printed. Add --show-token or --secret-output FILE.');
}

function addListCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'list', {
    title: 'List active sessions',
    description: controlPlaneNote,
    effect: 'read',
    examples: [
      { title: 'List the sessions of a user', command: '--user-id alice' },
      { title: 'List all sessions, the newest first', command: '--all --sort -startedAt' },
    ],
  })
    .alias('ls')
    .option('--user-id <user>', 'only sessions of this user, by id or login name')
    .option('--client-id <client>', 'only sessions through this client, by id or service account');
  addSortOption(command, ['sessionId', 'startedAt', 'endsAt']);
  addListOptions(command);
  declareValueSources(command, ownerSources);
  setAction(command, runtime, async (context, _, options) => {
    const owners = await resolveOwners(new NameResolver(context), options);
    const filters = { ...owners, sort: readSort(options) };
    return printControlList(context, options, { path, filters, columns, main: 7 });
  });
}

function addEndCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'end', {
    title: 'End a session, or all sessions of a user or client',
    description: `Tokens of ended sessions are rejected from the next request on. A session of a browser ends with those of the applications that it led to. ${controlPlaneNote}`,
    effect: 'destructive',
    idempotent: true,
    examples: [
      { title: 'End one session', command: 'SESSION_ID' },
      { title: 'Sign a user out everywhere', command: '--user-id alice --yes' },
    ],
  })
    .argument('[session...]', 'Session id, one or more')
    .option('--user-id <user>', 'end all sessions of this user, by id or login name')
    .option('--client-id <client>', 'end all sessions through this client, by id or service account');
  addSeveralHelp(command, true);
  declareValueSources(command, { session: reference('session', ['id']), ...ownerSources });
  setAction(command, runtime, async (context, [argument = []], options) => {
    const hasOwner = options.userId !== undefined || options.clientId !== undefined;
    const typed = [argument].flat();
    const sessions = typed.length > 0 || hasOwner ? typed : await promptSession(context, options);
    if (hasOwner ? sessions.length > 0 || (options.userId && options.clientId) : sessions.length === 0)
      throw usageError('Name sessions, or use --user-id or --client-id.');
    return hasOwner ? endAll(context, options) : endSessions(context, sessions, options);
  });
}

/** Prompts for a session. Returns none without a terminal: then the error has the possible arguments. */
async function promptSession(context: Context, options: CommandOptions): Promise<readonly string[]> {
  const isDry = options.dryRun === true;
  if (isDry || !canPrompt(context.promptOptions(false))) return [];
  const schema = { type: 'string', ...reference('session', ['id']) };
  const promptContext = { context, example: 'iam sessions end SESSION_ID', allowsPrompts: true, known: {} };
  const answers = await promptForValues(promptContext, [
    { name: 'session', label: 'Session id', usage: '<session>', schema },
  ]);
  return answers.flat();
}

function endSessions(context: Context, sessions: readonly string[], options: CommandOptions): Promise<void> {
  const removalOf = (sessionId: string) => ({ path, query: { sessionId }, done: `Ended ${sessionId}.` });
  const ask = (ids: readonly string[]) => `End the ${ids.length === 1 ? 'session' : 'sessions'} ${ids.join(', ')}?`;
  return removeTargets(context, options, sessions, removalOf, ask);
}

/** Ends all sessions of a user or through a client. */
async function endAll(context: Context, options: CommandOptions): Promise<void> {
  const names = new NameResolver(context, options.dryRun === true);
  const query = await resolveOwners(names, options);
  if (options.dryRun === true) names.printResolved();
  const { userId, clientId } = query;
  const owner =
    userId === undefined
      ? ({ entity: 'client', id: String(clientId) } as const)
      : ({ entity: 'user', id: userId } as const);
  await names.readNames([owner], context.findNames);
  const whose = userId === undefined ? 'through the client' : 'of the user';
  const question = `End all sessions ${whose} ${names.format(owner.id)}?`;
  // That no session ended for an unknown user must not look like a success.
  const checkResponse = async (body: unknown) => {
    if ((body as { readonly ended?: unknown } | undefined)?.ended === 0)
      await assertTargetExists(context, 'DELETE', path, query);
  };
  await sendControlWrite(context, options, { method: 'DELETE', path, query, question, checkResponse, done: '' });
}
