/** `iam users invite`: sends a user a code to set its own password. */
import type { Command } from 'commander';
import { otpLifetimeMinutes } from '../../../contract/otp-lifetime.ts';
import { singleQuote } from '../../../lib/shell-variables.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { resolveBaseUrl } from '../../http/connection.ts';
import { parseTypedValue } from '../../output/value-prefix.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { controlPlaneNote } from '../../request/control-plane.ts';
import { printRequestPreviews } from '../../request/preview.ts';
import {
  clientIdOption,
  createRecoveryRequests,
  findRecoverableUser,
  recoverySources,
  resolveRecoveryClient,
} from './recovery.ts';
import { previewVerification, verifyContactOption } from './verify-contact.ts';

export function addUsersInvite(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'invite', {
    title: 'Send a user a code to set its own password',
    description: `Starts the recovery of the account: the service sends a code to the verified contacts of the user. The code is valid for ${otpLifetimeMinutes} minutes; the password does not change until it is used. Prints the command that the user runs. ${controlPlaneNote} Without it, the command cannot check whether the user exists.`,
    effect: 'write',
    roles: 'CLI-AUTH-IDENTIFIED and CLI-1STPARTY',
    examples: [
      { title: 'Invite a user', command: 'alice' },
      { title: 'Name the application client', command: 'alice --client-id APP_CLIENT_ID -o json' },
    ],
  })
    .argument('<user>', 'User id or login name')
    .option(...verifyContactOption)
    .option(...clientIdOption);
  declareValueSources(command, recoverySources);
  setAction(command, runtime, (context, [user], options) => invite(context, String(user), options));
}

async function invite(context: Context, typed: string, options: CommandOptions): Promise<void> {
  const isDry = options.dryRun === true;
  const clientId = await resolveRecoveryClient(context, options, context.promptOptions(isDry));
  const user = await findRecoverableUser(context, {
    typed,
    isOptional: true,
    verifiesContact: options.verifyContact === true,
    isPreview: isDry,
  });
  const loginName = user?.loginName ?? parseTypedValue(typed).value;
  const requests = createRecoveryRequests(context, clientId, loginName);
  if (isDry) {
    const verification = await previewVerification(context, user?.userId, options);
    return printRequestPreviews(context, [...verification, requests.previews.sendCode]);
  }
  await requests.sendCode();
  const words = ['--has-code', '--client-id', clientId, '--base-url', resolveBaseUrl(context.settings)];
  const command = ['iam users set-password', ...[loginName, ...words].map(singleQuote)].join(' ');
  const sentTo = user?.contacts;
  if (!context.printer.isForPeople)
    return context.printer.value({ ...(user ? { userId: user.userId } : {}), userName: loginName, sentTo, command });
  const sent = sentTo
    ? `Sent a code to ${sentTo.join(' and ')}.`
    : `If ${loginName} exists, is not locked and has a verified contact, a code was sent there.`;
  context.printer.lines([
    `${sent} It is valid for ${otpLifetimeMinutes} minutes.`,
    `${loginName} sets a password with it:`,
    `  ${command}`,
  ]);
}
