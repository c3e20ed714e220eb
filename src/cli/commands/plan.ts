/** `iam plan`: what an apply would change, and who would gain and lose which role. */
import type { Command } from 'commander';
import { addCommand, type CommandDescription, setAction, varyingRoles } from '../command.ts';
import { createPlanDeps } from '../plan/deps.ts';
import type { CliRuntime } from '../runtime/context.ts';
import { formats } from '../runtime/output.ts';

export const planText: CommandDescription = {
  title: 'Shows what apply would change, and who gains and loses which role',
  description:
    'Reads documents of groups, clients, API keys, corporate groups and customers, and compares them with the server. A key that is left out is left alone; a list that is given is the whole list. Nothing is written to the server.',
  roles: varyingRoles,
  effect: 'read',
  examples: [
    { title: 'What a document would change', command: '-f iam.yaml' },
    { title: 'Keep it, to apply exactly that', command: '-f iam.yaml --out plan.json' },
    { title: 'In a script: exit code 9 where anything would change', command: '-f iam/ --detailed-exitcode -o json' },
  ],
};

/** Adds the command. */
export function addPlan(program: Command, runtime: CliRuntime): void {
  const command = addDocumentOptions(addCommand(program, 'plan', planText))
    .option('--out <file>', 'keep the plan for `iam apply FILE`; -o FILE is the same')
    .option('--detailed-exitcode', 'end with exit code 9 where anything would change');
  const named: { file?: string } = {};
  setAction(command, runtime, async (context, _, options) => {
    const { runPlan } = await import('../plan/index.ts');
    const file = (options.out as string | undefined) ?? named.file;
    await runPlan(await createPlanDeps(context, options.color as string | undefined), options, file);
  });
  acceptFileAsOutput(command, named);
}

/** Adds what says which documents, and what of them. */
export function addDocumentOptions(command: Command): Command {
  return command
    .option('-f, --file <file...>', 'documents in YAML or JSON, or folders of them; - is standard input')
    .option('--set <name>', 'name under which what is made is remembered, in the place of `set:`')
    .option('--prune', 'remove what an earlier apply of the same set made and the documents no longer have');
}

/** `-o` is the format, as everywhere; a value that has a dot or a slash can only be a file. */
function acceptFileAsOutput(command: Command, named: { file?: string }): void {
  const option = command.options.find(({ long }) => long === '--output');
  const parse = option?.parseArg;
  if (!option || !parse) return;
  option.parseArg = <Value>(value: string, previous: Value): Value => {
    if ((formats as readonly string[]).includes(value) || !/[./\\]/.test(value)) return parse(value, previous) as Value;
    named.file = value;
    return previous;
  };
  // Commander makes an empty text of what is not there; no format was named, so that others decide.
  command.hook('preAction', () => {
    if (command.getOptionValue('output') === '') command.setOptionValueWithSource('output', undefined, 'default');
  });
}
