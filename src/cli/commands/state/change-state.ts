/** Sends a request that changes the state of a server. */
import type { CommandOptions, Context } from '../../context.ts';
import { assertConfirmed } from '../../request/confirm.ts';
import { callControlPlane, controlRequestPreview } from '../../request/control-plane.ts';
import { printRequestPreview } from '../../request/preview.ts';
import { printResponse } from '../../request/send.ts';
import { confirmReplacement } from './confirm-replacement.ts';

interface StateChange {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly confirmation: string;
  /** Whether it discards the state in use, which takes more than a yes if the store is durable. */
  readonly replacesState: boolean;
  readonly done: string;
}

/** Confirms, sends the request and prints the result; with --dry-run only prints the request. */
export async function changeState(
  context: Context,
  options: CommandOptions,
  { method, path, body, confirmation, replacesState, done }: StateChange,
): Promise<void> {
  const input = body === undefined ? {} : { body };
  if (options.dryRun === true)
    return printRequestPreview(context, { ...controlRequestPreview(context, method, path), ...input });
  await (replacesState ? confirmReplacement : assertConfirmed)(context, confirmation, options);
  await printResponse(context, (await callControlPlane(context, method, path, input)).body, done);
}
