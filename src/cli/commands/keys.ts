/** `iam keys rotate`: rotates the signing key. `iam keys` itself is a generated command. */
import type { Command } from 'commander';
import { addCommand, setAction } from '../command.ts';
import type { CliRuntime } from '../context.ts';
import { callControlPlane, controlPlaneNote, controlRequestPreview } from '../request/control-plane.ts';
import { printRequestPreview } from '../request/preview.ts';
import { printResponse } from '../request/send.ts';

const path = '/_iam/keys/rotate';

/** Adds the command. */
export function addKeysRotate(keys: Command, runtime: CliRuntime): void {
  const command = addCommand(keys, 'rotate', {
    title: 'Rotate the signing key',
    description: `Tokens signed with previous keys stay valid until they expire; the response contains the retirement time of those keys. ${controlPlaneNote}`,
    effect: 'write',
    examples: [
      { title: 'Rotate the key now', command: '' },
      { title: 'Preview the request', command: '--dry-run' },
    ],
  });
  setAction(command, runtime, async (context, _, options) => {
    if (options.dryRun === true) return printRequestPreview(context, controlRequestPreview(context, 'POST', path));
    const { body } = await callControlPlane(context, 'POST', path);
    await printResponse(context, body, '');
  });
}
