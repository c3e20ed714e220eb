/** `iam keys rotate`: a new signing key. `iam keys` itself is the operation that shows them. */
import type { Command } from 'commander';
import { addCommand, setAction } from '../command.ts';
import { callControlPlane, controlPlaneNote, controlRequestPreview } from '../control-plane.ts';
import type { CliRuntime } from '../runtime/context.ts';
import { printRequestPreview, printResponse } from '../send.ts';

const path = '/_iam/keys/rotate';

/** Adds the command. */
export function addKeysRotate(keys: Command, runtime: CliRuntime): void {
  const command = addCommand(keys, 'rotate', {
    title: 'Makes a new signing key',
    description: `Tokens that the keys before it signed are taken until they end; it is told until when those keys stay. ${controlPlaneNote}`,
    effect: 'write',
    examples: [
      { title: 'Now', command: '' },
      { title: 'See what would be sent', command: '--dry-run' },
    ],
  });
  setAction(command, runtime, async (context, _, options) => {
    if (options.dryRun === true) return printRequestPreview(context, controlRequestPreview(context, 'POST', path));
    const { body } = await callControlPlane(context, 'POST', path);
    await printResponse(context, body, '');
  });
}
