/** `iam plan`: shows what `iam apply` would change, and who would gain or lose roles. */
import type { Command } from 'commander';
import { addCommand, type CommandDescription, setAction, varyingRoles } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { formats } from '../../output/format.ts';

const planText: Omit<CommandDescription, 'title'> = {
  description:
    'Compares files of groups, clients, API keys, corporate groups and customers with the server, and shows the changes and who gains or loses which role. Omitted keys stay unchanged; a list replaces the whole list. Writes nothing to the server.',
  roles: varyingRoles,
  effect: 'read',
  examples: [
    { title: 'Preview the changes of a file', command: '-f iam.yaml' },
    { title: 'Save the plan to apply it later', command: '-f iam.yaml --out plan.json' },
    { title: 'In a script, exit with 9 if there are changes', command: '-f iam/ --detailed-exitcode -o json' },
  ],
};

export function addPlan(program: Command, runtime: CliRuntime, title: string): void {
  const command = addDocumentOptions(addCommand(program, 'plan', { title, ...planText }))
    .option('--out <file>', 'save the plan for `iam apply FILE`; same as -o FILE')
    .option('--detailed-exitcode', 'exit with 9 if there are changes');
  const named: { file?: string } = {};
  setAction(command, runtime, async (context, _, options) => {
    const { runPlan } = await import('../../plan/index.ts');
    const file = (options.out as string | undefined) ?? named.file;
    await runPlan(context, options, file);
  });
  acceptFileAsOutput(command, named);
}

/** Adds the options that select desired-state files. */
export function addDocumentOptions(command: Command): Command {
  return command
    .option('-f, --file <file...>', 'YAML or JSON files, or folders of them; - for standard input')
    .option('--set <name>', 'name of the set that records created resources; overrides `set:`')
    .option('--prune', 'delete resources that an earlier apply of the set created and the files no longer contain');
}

/** `-o` selects the output format, as in all commands; a value with a dot or slash is a file. */
function acceptFileAsOutput(command: Command, named: { file?: string }): void {
  const option = command.options.find(({ long }) => long === '--output');
  const parse = option?.parseArg;
  if (!option || !parse) return;
  option.parseArg = <Value>(value: string, previous: Value): Value => {
    if ((formats as readonly string[]).includes(value) || !/[./\\]/.test(value)) return parse(value, previous) as Value;
    named.file = value;
    return previous;
  };
  // Commander sets an empty string for the undefined value. Reset it, so that other setting sources apply.
  command.hook('preAction', () => {
    if (command.getOptionValue('output') === '') command.setOptionValueWithSource('output', undefined, 'default');
  });
}
