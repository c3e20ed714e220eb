/** `iam explain`: explains an operation, a field, an error code or a role. */
import type { Command } from 'commander';
import { addCommand, type CommandDescription, setAction } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';

const explainText: Omit<CommandDescription, 'title'> = {
  description:
    'Shows parameters, body fields, roles, statuses and errors of an operation; where a field occurs, with its type and limits; status, cause and operations of an error code; which operations accept a role. A name with several meanings is listed. A name with no other meaning is searched in the groups of the server, which can grant roles of your own; all else sends no request.',
  effect: 'read',
  examples: [
    { title: 'An operation, by its id or command', command: 'users create' },
    { title: 'All operations of a resource', command: 'groups' },
    { title: 'A field of an operation, and everywhere', command: 'groups.create.roles' },
    { title: 'Where a field occurs', command: 'userName' },
    { title: 'The field of an option', command: '--user-name' },
    { title: 'An error code', command: 'GROUP_NAME_TAKEN' },
    { title: 'The operations that accept a role, as JSON', command: 'IAM_ADMIN_READ_ONLY -o json' },
  ],
};

export function addExplain(program: Command, runtime: CliRuntime, title: string): void {
  const command = addCommand(program, 'explain', { title, ...explainText })
    .argument('<topic>', 'Operation id, command, field, error code or role')
    .argument('[words...]', 'More words of a command: users create')
    // An option of another command is explained as its field.
    .allowUnknownOption();
  declareValueSources(command, { words: 'operation' });
  setAction(command, runtime, async (context, words) => {
    const { printExplanation } = await import('./print.ts');
    await printExplanation(context, runtime, words.flat().join(' ').replace(/^-+/, ''));
  });
}
