/** `iam conformance`: compares a deployment with the server of this package. */
import type { Command } from 'commander';
import { addCommand, type CommandDescription, setAction, varyingRoles } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { collectAssignments } from '../call.ts';

const conformanceText: Omit<CommandDescription, 'title'> = {
  description: `Sends the requests of a contract suite to the deployment at --base-url and to a server of this package that runs in memory, and reports the differences of each operation: status, error codes, fields and headers. Uses no control plane of the deployment.

By default it sends reads, and requests that a conforming service refuses: without credentials, with wrong types, for unknown ids. With --allow-writes it also creates entities whose names start with iam-conformance-, changes and deletes them, and touches no others. They are deleted also after Ctrl-C; what cannot be deleted is listed.

Exits with 1 if there are differences that the baseline does not accept. A role that the caller lacks is not a difference: these cases count as not checked.`,
  roles: varyingRoles,
  effect: 'write',
  effectVaries: true,
  examples: [
    { title: 'Compare the deployment of a profile', command: '--profile staging' },
    { title: 'Also create, change and delete entities of the suite', command: '--allow-writes -o json' },
    {
      title: 'Accept the differences of today, and report new ones from then on',
      command: '--baseline conformance.json --update-baseline',
    },
    { title: 'Check some operations', command: '--operation groups.list --operation groups.get' },
  ],
};

export function addConformance(program: Command, runtime: CliRuntime, title: string): void {
  const repeated = (value: string, before: readonly string[] = []) => [...before, value];
  const command = addCommand(program, 'conformance', { title, ...conformanceText })
    .option('--allow-writes', 'also create, change and delete entities of the suite')
    .option('--operation <name>', 'check only this operation, by its id or command (repeatable)', repeated)
    .option('--baseline <file>', 'JSON or YAML file of accepted differences')
    .option('--update-baseline', 'write the differences of this run to the baseline, and exit with 0')
    .option(
      '--existing <name=value>',
      'id of an entity to read: groupId, userId, businessId, serviceId or corporateGroupId (repeatable); by default the first one of a list',
      collectAssignments,
    )
    .option(
      '--reference-setting <name=value>',
      'setting of the reference server, such as soft-errors=true (repeatable)',
      collectAssignments,
    )
    .option('--concurrency <number>', 'maximum concurrent requests, default 4')
    .option('--list', 'list the cases without sending them');
  declareValueSources(command, { '--operation': 'operation' });
  setAction(command, runtime, async (context, _, options) => {
    const { runConformance } = await import('../../conformance/index.ts');
    await runConformance(context, options);
  });
}
