/** `iam state reset`: resets the state to the seed. */
import type { Command } from 'commander';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { controlPlaneNote } from '../../request/control-plane.ts';
import { sendControlWrite } from '../../request/control-requests.ts';
import { confirmReplacement, durableStoreNote } from './confirm-replacement.ts';

export function addStateReset(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'reset', {
    title: 'Reset the state to the seed',
    description: `Restores the state after the first start with this seed and discards all later changes. Administrators and signing keys are preserved. Clock, injected faults, request log and coverage are reset too. ${durableStoreNote} ${controlPlaneNote}`,
    effect: 'destructive',
    idempotent: true,
    examples: [
      { title: 'Reset between two tests', command: '--yes' },
      { title: 'Reset without the seed data', command: '--empty' },
    ],
  }).option('--empty', 'reset without the seed data');
  setAction(command, runtime, (context, _, options) => {
    const to = options.empty === true ? 'empty' : 'seed';
    return sendControlWrite(context, options, {
      method: 'POST',
      path: '/_iam/state/reset',
      body: { to },
      confirm: () => confirmReplacement(context, 'Discard all changes since the first start?', options),
      done: `Reset to ${to}.`,
    });
  });
}
