/** `iam schema`: prints the JSON Schemas of the documents that the command and the server read. */
import type { Command } from 'commander';
import { addCommand, type CommandDescription, setAction } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { usageError } from '../../errors.ts';

const kinds = ['seed', 'provisioning', 'config', 'conformance-baseline'] as const;

const schemaText: Omit<CommandDescription, 'title'> = {
  description: `Kinds: seed (\`iam serve --seed\`), provisioning (\`iam apply\`), config (.iamrc.json) and conformance-baseline (\`iam conformance --baseline\`). Editors use a schema for completion and validation: name its file in \`$schema\`, or in YAML in a first line \`# yaml-language-server: $schema=FILE\`, as \`iam export\` writes it.`,
  effect: 'local',
  examples: [
    { title: 'Store the schema next to your documents', command: 'provisioning > provisioning.schema.json' },
    { title: 'For the seed of a test server', command: 'seed > seed.schema.json' },
  ],
};

export function addSchema(program: Command, runtime: CliRuntime, title: string): void {
  const command = addCommand(program, 'schema', { title, ...schemaText }).argument(
    '<kind>',
    `One of ${kinds.join(', ')}`,
  );
  setAction(command, runtime, async (context, [kind]) => {
    const { jsonSchemas } = await import('./json-schemas.ts');
    const known = kinds.find((one) => one === kind);
    if (!known) throw usageError(`Unknown kind ${JSON.stringify(kind)}.`, `Use one of ${kinds.join(', ')}.`);
    const schema = jsonSchemas[known];
    if (context.printer.isForPeople) context.printer.lines(JSON.stringify(schema, undefined, 2).split('\n'));
    else await context.printer.value(schema);
  });
}
