/** `iam keys rotate`: a new signing key. `iam keys` itself is the operation that shows them. */
import type { Command } from 'commander';
import { callControl, controlPlan, whereFrom } from '../control.ts';
import { addLeaf, runs } from '../leaf.ts';
import type { Surroundings } from '../runtime/context.ts';
import { printAnswer, printPlan } from '../send.ts';

const path = '/_iam/keys/rotate';

/** Adds the command. */
export function addKeysRotate(keys: Command, surroundings: Surroundings): void {
  const command = addLeaf(keys, 'rotate', {
    title: 'Makes a new signing key',
    description: `Tokens that the keys before it signed are taken until they end; it is told until when those keys stay. ${whereFrom}`,
    effect: 'write',
    examples: [
      { title: 'Now', command: '' },
      { title: 'See what would be sent', command: '--dry-run' },
    ],
  });
  runs(command, surroundings, async (context, _, options) => {
    if (options.dryRun === true) return printPlan(context, controlPlan(context, 'POST', path));
    const { body } = await callControl(context, 'POST', path);
    await printAnswer(context, body, '');
  });
}
