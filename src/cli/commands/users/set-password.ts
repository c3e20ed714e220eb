/** `iam users set-password`: sets the password of a user by account recovery, or through the control plane. */
import type { Command } from 'commander';
import { ClientError } from '../../../client/errors.ts';
import type { ErrorCode } from '../../../contract/errors.ts';
import { singleQuote } from '../../../lib/shell-variables.ts';
import { findUserLoginClient } from '../../auth/user-login.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { inputNeededError, usageError } from '../../errors.ts';
import { readSecret, readSecrets } from '../../io/input.ts';
import { canPrompt, promptSecret } from '../../io/prompt.ts';
import { createErrorReport } from '../../output/error-report.ts';
import { parseTypedValue } from '../../output/value-prefix.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { callControlPlane, controlPlaneNote, controlRequestPreview } from '../../request/control-plane.ts';
import { printRequestPreviews } from '../../request/preview.ts';
import { NameResolver } from '../../request/resolve-names.ts';
import { obtainCode, promptForCode } from './obtain-code.ts';
import {
  clientIdOption,
  createRecoveryRequests,
  findRecoverableUser,
  type RecoveryRequests,
  recoverySources,
  resolveRecoveryClient,
} from './recovery.ts';
import { previewVerification, verifyContactOption } from './verify-contact.ts';

export function addUsersSetPassword(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'set-password', {
    title: 'Set the password of a user',
    description: `Recovers the account: the service sends a code to the verified contacts of the user, the command reads it in the inbox of the server and sets the password. All sessions of the user end, and the user is notified. Where the inbox cannot be read, it prompts for the code; --has-code and --code-stdin use a code that was sent before. ${controlPlaneNote}`,
    effect: 'write',
    roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
    examples: [
      { title: 'Read the password from a pipe', command: 'alice --password-stdin < password.txt' },
      {
        title: 'As an administrator, for a user without a verified contact',
        command: 'alice --without-code --password-stdin < password.txt',
      },
      {
        title: 'For a new user, whose contact is not verified',
        command: 'alice --verify-contact --password-stdin < password.txt',
      },
      { title: 'Use a code that `iam users invite` sent, and prompt for it', command: 'alice --has-code' },
      {
        title: 'Read the code and the password from two lines of a pipe',
        command: 'alice --code-stdin --password-stdin < lines.txt',
      },
    ],
  })
    .argument('<user>', 'User id or login name')
    .option('--password-stdin', 'read the new password from standard input')
    .option('--has-code', 'use a code that was sent before, and prompt for it')
    .option('--without-code', 'set it as an administrator through the control plane, without a code')
    .option('--code-stdin', 'read that code from standard input, before the line with the password')
    .option(...verifyContactOption)
    .option(...clientIdOption);
  declareValueSources(command, recoverySources);
  setAction(command, runtime, (context, [user], options) => setPassword(context, String(user), options));
}

async function setPassword(context: Context, typed: string, options: CommandOptions): Promise<void> {
  const secrets = options.dryRun === true ? undefined : await readSecretSources(context, options);
  if (options.withoutCode === true) return setPasswordDirectly(context, typed, secrets, options);
  const { value: name } = parseTypedValue(typed);
  const promptOptions = context.promptOptions(secrets === undefined || secrets.password !== undefined);
  const hasCode = options.hasCode === true || options.codeStdin === true;
  if (hasCode && options.verifyContact === true)
    throw usageError('--verify-contact sends a new code, so it cannot be used with --has-code or --code-stdin.');
  const clientId = await resolveRecoveryClient(context, options, promptOptions);
  const user = hasCode
    ? undefined
    : await findRecoverableUser(context, {
        typed,
        isOptional: canPrompt(promptOptions),
        verifiesContact: options.verifyContact === true,
        isPreview: secrets === undefined,
      });
  const requests = createRecoveryRequests(context, clientId, user?.loginName ?? name);
  if (!secrets) {
    const { sendCode, resetPassword } = requests.previews;
    const verification = await previewVerification(context, user?.userId, options);
    return printRequestPreviews(context, hasCode ? [resetPassword] : [...verification, sendCode, resetPassword]);
  }
  const codeBefore =
    secrets.code ?? (hasCode ? await promptForCode('Code from the message', promptOptions) : undefined);
  const password = secrets.password ?? (await promptNewPassword(context, name));
  const code = codeBefore ?? (await obtainCode(context, { name, user, requests, promptOptions }));
  await resetPassword(context, { name, code, password, requests, canRepeat: secrets.password === undefined });
  if (!context.printer.isForPeople)
    await context.printer.value({ ...(user ? { userId: user.userId } : {}), userName: user?.loginName ?? name });
  const through = clientId === findUserLoginClient(context.settings) ? '' : ` --client-id ${singleQuote(clientId)}`;
  context.notice(
    `Set the password of ${name} and ended its sessions. Sign in with \`iam login --user ${singleQuote(name)}${through}\`.`,
  );
}

/** Sets the password through the control plane. `secrets` is undefined for a preview. */
async function setPasswordDirectly(
  context: Context,
  name: string,
  secrets: SecretSources | undefined,
  { hasCode, codeStdin, verifyContact, clientId }: CommandOptions,
): Promise<void> {
  if ([hasCode, codeStdin, verifyContact, clientId].some((value) => value !== undefined))
    throw usageError(
      '--without-code sends no code, so it cannot be used with --has-code, --code-stdin, --verify-contact or --client-id.',
    );
  const userId = await new NameResolver(context).resolve(recoverySources.user['x-reference'], name);
  const path = `/_iam/users/${encodeURIComponent(userId)}/password`;
  if (!secrets) return printRequestPreviews(context, [controlRequestPreview(context, 'PUT', path)]);
  await repeatWhileWeak(context, { ...secrets, name }, (newPassword) =>
    callControlPlane(context, 'PUT', path, { body: { newPassword } }),
  );
  if (!context.printer.isForPeople) await context.printer.value({ userId });
  context.notice(`Set the password of ${name} and ended its sessions.`);
}

interface SecretSources {
  readonly code?: string | undefined;
  /** Undefined if it is prompted for. */
  readonly password?: string | undefined;
}

/** Reads what standard input contains. @throws CliError if a password can be neither read nor prompted for */
async function readSecretSources(context: Context, options: CommandOptions): Promise<SecretSources> {
  if (options.passwordStdin !== true) {
    if (options.codeStdin === true)
      throw usageError('--code-stdin requires --password-stdin.', 'Use --has-code to type both at a terminal.');
    if (!canPrompt(context.promptOptions(false)))
      throw inputNeededError(
        'A new password is required. Cannot prompt in non-interactive mode; nothing was sent.',
        'Provide it with --password-stdin.',
      );
    return {};
  }
  if (options.codeStdin === true) {
    const [code, password] = await readSecrets(['code', 'password'], context.io);
    return { code, password };
  }
  if (options.hasCode === true)
    throw usageError(
      '--has-code prompts for the code, so it cannot be used with --password-stdin.',
      'Use --code-stdin.',
    );
  return { password: await readSecret('-', context.io) };
}

/** Prompts twice, until both inputs are the same. */
async function promptNewPassword(context: Context, name: string): Promise<string> {
  const promptOptions = context.promptOptions(false);
  const hint = 'Provide it with --password-stdin.';
  for (;;) {
    const first = await promptSecret(promptOptions, `New password of ${name}`, hint);
    const second = await promptSecret(promptOptions, 'Repeat the new password', hint);
    if (first === second && first !== '') return first;
    context.notice(first === second ? 'The password is empty.' : 'The passwords differ. Type them again.');
  }
}

interface PasswordReset {
  readonly name: string;
  readonly code: string;
  readonly password: string;
  readonly requests: RecoveryRequests;
  /** Prompts for another password if the service rejects this one. */
  readonly canRepeat: boolean;
}

const weakPasswordCodes: readonly string[] = [
  'PASSWORD_TOO_SHORT',
  'PASSWORD_TOO_LONG',
  'PASSWORD_COMMON',
  'PASSWORD_CONTEXT',
] satisfies ErrorCode[];

/** A weak password does not consume the code, so that another one can be typed. */
async function resetPassword(context: Context, { requests, code, name, password, canRepeat }: PasswordReset) {
  await repeatWhileWeak(context, { name, password, canRepeat }, (typed) => requests.resetPassword(code, typed));
}

interface TypedPassword {
  readonly name: string;
  /** Prompted for if undefined. */
  readonly password?: string | undefined;
  /** Default: whether it is prompted for. */
  readonly canRepeat?: boolean;
}

/** Prompts for another password as long as the server rejects it as weak, unless it was not typed. */
async function repeatWhileWeak(
  context: Context,
  { name, password: given, canRepeat = given === undefined }: TypedPassword,
  send: (password: string) => Promise<unknown>,
): Promise<void> {
  let password = given ?? (await promptNewPassword(context, name));
  for (;;) {
    try {
      await send(password);
      return;
    } catch (error) {
      if (!canRepeat || !(error instanceof ClientError) || !weakPasswordCodes.includes(error.code)) throw error;
      const { message, hint } = createErrorReport(error, context.manifest);
      context.notice(`${message} ${hint ?? ''}`.trimEnd());
      password = await promptNewPassword(context, name);
    }
  }
}
