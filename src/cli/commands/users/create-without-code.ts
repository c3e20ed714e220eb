/** `iam users create --without-code`: creates a user as an administrator, through the control plane. */
import type { Command } from 'commander';
import { allowsPrompts, firstExample } from '../../command.ts';
import type { CommandOptions, Context } from '../../context.ts';
import { createIfNotExists } from '../../create/if-not-exists.ts';
import { usageError } from '../../errors.ts';
import { readSecret } from '../../io/input.ts';
import { type PromptedField, promptForFields, promptForMissingFields } from '../../prompts/missing-fields.ts';
import { sendUntilAccepted } from '../../prompts/rejected-answers.ts';
import { callControlPlane, controlRequestPreview } from '../../request/control-plane.ts';
import { describeCreated } from '../../request/created-entity.ts';
import { confirmGrants, mayAskForGrants, noticeGrants } from '../../request/grants/role-grants.ts';
import { printRequestPreview } from '../../request/preview.ts';
import { buildRequest, type CommandArguments, type RequestDraft } from '../../request/request-builder.ts';
import type { RequestSpec } from '../../request/request-spec.ts';
import { NameResolver } from '../../request/resolve-names.ts';
import { printResponse } from '../../request/send.ts';
import type { OperationVariant } from '../operation.ts';

const path = '/_iam/users';

/** Options of the operation whose request, session or token does not exist without a code. */
const otherOptions = {
  clientId: '--client-id',
  rememberMe: '--remember-me',
  tokenFile: '--token-file',
  secretOutput: '--secret-output',
  showToken: '--show-token',
} as const;

/** Options that need `--without-code`. */
const ownOptions = { verified: '--verified', passwordStdin: '--password-stdin' } as const;

/** Adds the options to `users create`. */
function addWithoutCodeOptions(command: Command): void {
  command
    .option('--without-code', 'create it as an administrator through the control plane: no code, session or token')
    .option('--verified', 'with --without-code: the contacts count as verified')
    .option('--password-stdin', 'with --without-code: read a password from standard input');
}

/** Whether the user is created through the control plane. @throws CliError for options that cannot be combined */
function isWithoutCode(options: CommandOptions): boolean {
  const isDirect = options.withoutCode === true;
  const [wrong] = Object.entries(isDirect ? otherOptions : ownOptions).filter(([name]) => options[name] !== undefined);
  if (wrong)
    throw usageError(`${wrong[1]} ${isDirect ? 'cannot be used with --without-code' : 'requires --without-code'}.`);
  if (options.passwordStdin === true && options.file === '-')
    throw usageError('-f - and --password-stdin both read standard input.', 'Write the fields to a file.');
  return isDirect;
}

/** Creates the user, without an e-mail address too. */
async function createUserWithoutCode(
  context: Context,
  command: Command,
  spec: RequestSpec,
  args: CommandArguments,
  options: CommandOptions,
): Promise<void> {
  const isDry = options.dryRun === true;
  const names = new NameResolver(context, isDry);
  const directSpec = toDirectSpec(spec);
  const promptContext = {
    context,
    example: firstExample(command),
    allowsPrompts: allowsPrompts(args, options),
    known: {},
  };
  const answers: PromptedField[] = [];
  const fillMissing = async (draft: RequestDraft) => {
    await names.resolveRequest(spec.operation, draft);
    answers.push(...(await promptForMissingFields(promptContext, directSpec, draft)));
  };
  const input = await buildRequest(context, directSpec, { args, options, fillMissing });
  const verified = options.verified === true ? { verified: true } : {};
  if (isDry) {
    names.printResolved();
    const body = { ...(input.body as object), ...verified };
    await printRequestPreview(context, { ...controlRequestPreview(context, 'POST', path), body });
    return noticeGrants(context, [{ operation: spec.operation, input }]);
  }
  const grant = { operation: spec.operation, input };
  const password = options.passwordStdin === true ? await readSecret('-', context.io) : undefined;
  const secret = password === undefined ? {} : { password };
  const send = async () => {
    await confirmGrants(context, [grant], options);
    const body = { ...(input.body as object), ...verified, ...secret };
    return (await callControlPlane(context, 'POST', path, { body })).body;
  };
  const askAgain = (rejected: readonly PromptedField[]) => promptForFields(promptContext, rejected);
  const typed = { answers, acceptsTaken: options.ifNotExists === true, askAgain };
  const create = () => sendUntilAccepted(context, typed, send);
  const request = { ...input, body: { ...(input.body as object), ...verified } };
  const created =
    options.ifNotExists === true
      ? createIfNotExists(context, spec.operation, request, create, mayAskForGrants(context, grant, options))
      : create();
  const body = await created;
  await printResponse(context, body, '', describeCreated(context.manifest, spec.operation, body));
}

/** Only the user name is required, and there is no code. */
function toDirectSpec(spec: RequestSpec): RequestSpec {
  const body = spec.body
    .filter(({ secret }) => !secret)
    .map((field) => ({ ...field, required: field.path[0] === 'userName' }));
  return { ...spec, query: [], body };
}

export const createWithoutCode: OperationVariant = {
  addOptions: addWithoutCodeOptions,
  isSelected: isWithoutCode,
  run: createUserWithoutCode,
};
