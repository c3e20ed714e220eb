/** `iam clients rotate-secret` and `iam api-key rotate`: replace a secret; the previous one can stay valid for some time. */
import { type Command, Option } from 'commander';
import { reference } from '../../../contract/entities.ts';
import { addCommand, addConfirmOptions, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { assertConfirmed } from '../../request/confirm.ts';
import { callControlPlane, controlPlaneNote, controlRequestPreview } from '../../request/control-plane.ts';
import { assertTargetExists } from '../../request/control-requests.ts';
import { printRequestPreview } from '../../request/preview.ts';
import { NameResolver } from '../../request/resolve-names.ts';
import { declareSecrets, noticeSecretShownOnce, withSecretOutput } from '../../request/response-secrets.ts';
import { assertSecretPrinted, printResponse } from '../../request/send.ts';

interface Rotation {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly roles: string;
  readonly argument: string;
  readonly argumentText: string;
  readonly reference: ReturnType<typeof reference>;
  readonly example: string;
  /** What the server replaces, in sentences. */
  readonly what: string;
  readonly fields: readonly string[];
  readonly secret: string;
  path(id: string): string;
}

const owned = '(PERSON and not BUSINESS) or BUSINESSOWNER or BUSINESSADMIN';

const rotations: Readonly<Record<string, Rotation>> = {
  clients: {
    name: 'rotate-secret',
    title: 'Replace the secret of a client',
    description:
      'Without --overlap the previous secret fails at once, and so do the access tokens and sessions that the client obtained for itself; sessions of users stay.',
    roles: `CLI-1STPARTY and CLI-AUTH-IDENTIFIED and ((AUTH-MFA and ADMIN) or ${owned})`,
    argument: 'client-id',
    argumentText: 'Client id, service account or application',
    reference: reference('client', ['id']),
    example: 'deployer',
    what: 'secret of the client',
    fields: ['clientId', 'clientSecret', 'previousSecretEndsAt'],
    secret: 'clientSecret',
    path: (id) => `/_iam/clients/${encodeURIComponent(id)}/rotate-secret`,
  },
  'api-key': {
    name: 'rotate',
    title: 'Replace the value of an API key',
    description:
      'Id, application and client of the key stay. Without --overlap the previous value fails at once; tokens that were obtained with it stay valid until they expire.',
    roles: 'CLI-1STPARTY and CLI-AUTH-IDENTIFIED and ADMIN',
    argument: 'api-key-id',
    argumentText: 'API key id, or the application or client of the key',
    reference: reference('apiKey', ['id']),
    example: 'billing',
    what: 'API key',
    fields: ['apiKeyId', 'apiKey', 'previousKeyEndsAt'],
    secret: 'apiKey',
    path: (id) => `/_iam/api-keys/${encodeURIComponent(id)}/rotate`,
  },
};

/** Adds `rotate-secret` to `clients`, or `rotate` to `api-key`. */
export function addRotate(noun: Command, runtime: CliRuntime): void {
  const rotation = rotations[noun.name()];
  if (!rotation) throw new Error(`no rotation for ${noun.name()}`);
  const { argument, example } = rotation;
  const command = addCommand(noun, rotation.name, {
    title: rotation.title,
    description: `${rotation.description} With --overlap both are valid until it ends: deploy the new one in that time. If the response was lost, run the command again with the same --overlap and --keep oldest: it replaces the lost value, and the one that is deployed stays valid. The new value is shown once. The service API has no operation for this. ${controlPlaneNote}`,
    roles: rotation.roles,
    effect: 'write',
    examples: [
      { title: 'Keep the previous one valid for a day', command: `${example} --overlap 24h` },
      { title: 'Replace one that leaked: it fails at once', command: `${example} --yes` },
      {
        title: 'Repeat a rotation whose response was lost',
        command: `${example} --overlap 24h --keep oldest`,
      },
    ],
  })
    .argument(`<${argument}>`, rotation.argumentText)
    .option('--overlap <duration>', 'how long the previous one stays valid, such as 15m, 24h or 7d; at most 30d')
    .addOption(
      new Option(
        '--keep <which>',
        'with --overlap, if two are valid since an earlier rotation: the one that stays valid beside the new one',
      ).choices(['newest', 'oldest']),
    )
    .option('--secret-output <file>', 'write the secret to a new file that only you can read, instead of printing it');
  addConfirmOptions(command);
  declareValueSources(command, { [argument]: rotation.reference });
  setAction(command, runtime, (context, [typed], options) => rotate(context, rotation, String(typed), options));
}

async function rotate(context: Context, rotation: Rotation, typed: string, options: CommandOptions): Promise<void> {
  const { overlap, keep } = options;
  if (keep !== undefined && overlap === undefined)
    throw usageError(
      '--keep requires --overlap: without an overlap, all previous values fail at once.',
      'Add --overlap DURATION, or leave --keep out.',
    );
  const response = declareSecrets(rotation.secret);
  context.printer.check({ properties: Object.fromEntries(rotation.fields.map((name) => [name, {}])) });
  const names = new NameResolver(context, options.dryRun === true);
  const id = await names.resolve(rotation.reference['x-reference'], typed);
  const path = rotation.path(id);
  const body = { overlap, keep };
  if (options.dryRun === true) {
    names.printResolved();
    return printRequestPreview(context, { ...controlRequestPreview(context, 'POST', path), body });
  }
  const { entity } = rotation.reference['x-reference'];
  await names.readNames([{ entity, id }], context.findNames);
  if (overlap === undefined) {
    const question = `Replace the ${rotation.what} ${names.format(id)}? The previous one fails at once; --overlap keeps it valid.`;
    const assertExists = () => assertTargetExists(context, 'POST', path);
    await assertConfirmed(context, question, options, false, { assertExists });
  }
  const request = async () => (await callControlPlane(context, 'POST', path, { body })).body;
  const rotated = await withSecretOutput(context, response, options.secretOutput as string | undefined, request);
  await printResponse(context, rotated, '');
  if (options.secretOutput === undefined) {
    const again = overlap === undefined ? 'the command' : `it with --overlap ${String(overlap)} --keep oldest`;
    const hint = `The new value is lost: run ${again} again, with --secret-output FILE or another output.`;
    await assertSecretPrinted(context, `The ${rotation.what} ${names.format(id)} was replaced.`, hint);
  }
  noticeSecretShownOnce(context, response, rotated);
  noticeOwnClient(context, rotation, id);
}

/** The next command would sign in with the previous secret. */
function noticeOwnClient({ settings, notice }: Context, { secret }: Rotation, id: string): void {
  if (secret !== 'clientSecret' || settings.get('client-id')?.value !== id) return;
  notice(
    'The command signs in as this client: store the new secret with `iam login --secret-file FILE`, or set IAM_CLIENT_SECRET.',
  );
}
