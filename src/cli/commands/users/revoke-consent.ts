/** `iam users revoke-consent`: a user is asked again what a third-party client may do. */
import type { Command } from 'commander';
import { reference } from '../../../contract/entities.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { controlPlaneNote } from '../../request/control-plane.ts';
import { removeTargets } from '../../request/control-requests.ts';
import { NameResolver } from '../../request/resolve-names.ts';
import { addSeveralHelp } from '../../request/several-targets.ts';

export function addUsersRevokeConsent(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'revoke-consent', {
    title: 'Revoke the consent of a user to clients',
    description: `Deletes what the user let third-party clients do after logins with a browser, and ends its sessions there. \`iam users get\` lists the consents. ${controlPlaneNote}`,
    effect: 'destructive',
    examples: [{ title: 'Revoke the consent to a client', command: 'alice CLIENT_ID --yes' }],
  })
    .argument('<user>', 'User id or login name')
    .argument('<client...>', 'Client id or service account, one or more');
  addSeveralHelp(command, true);
  const [user, client] = [reference('user', ['id']), reference('client', ['id'])];
  declareValueSources(command, { user, client });
  setAction(command, runtime, async (context, [typed, named], options) => {
    const names = new NameResolver(context, options.dryRun === true);
    const userId = await names.resolve(user['x-reference'], String(typed));
    const clients: string[] = [];
    for (const name of [named].flat()) clients.push(await names.resolve(client['x-reference'], String(name)));
    if (options.dryRun === true) names.printResolved();
    const path = `/_iam/users/${encodeURIComponent(userId)}/consents/`;
    const removalOf = (id: string) => ({ path: path + encodeURIComponent(id), done: `Revoked the consent to ${id}.` });
    const ask = (ids: readonly string[]) => `Revoke the consent of ${names.format(userId)} to ${ids.join(', ')}?`;
    await removeTargets(context, options, clients, removalOf, ask);
  });
}
