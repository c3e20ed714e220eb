/** `edit` of every resource in the table: opens it in an editor and writes what was changed, as `kubectl edit` does. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { ClientError } from '../../../client/errors.ts';
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import { addCommand, addConfirmOptions, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { CliError, inputNeededError } from '../../errors.ts';
import { escapeControls } from '../../io/control-characters.ts';
import { readObject, readText } from '../../io/input.ts';
import { runEditor } from '../../io/processes.ts';
import { canPrompt } from '../../io/prompt.ts';
import type { EntityFields } from '../../request/differences.ts';
import { etagOfFile } from '../../request/entity-rows.ts';
import { etagProperty } from './file.ts';
import { addResourceArguments, exampleTarget } from './get.ts';
import { nameOf, type UpdatableResource, withArticle } from './resources.ts';
import { replaceWith, resolveTarget } from './update.ts';
import { readCurrent, type UpdateTarget, writeUpdate } from './write.ts';

export function addEditCommand(
  parent: Command,
  operation: ManifestOperation,
  runtime: CliRuntime,
  resource: UpdatableResource,
): void {
  const command = addCommand(parent, 'edit', {
    title: `Edit ${withArticle(resource.label)} in an editor`,
    description: `Opens the fields that can change as YAML in $VISUAL or $EDITOR, and writes them back as \`update -f\` does. Nothing is written if nothing was changed, or if the file is empty. If the file is not accepted, the editor opens again at a terminal, with the reason at its top; elsewhere the file is kept. What it no longer has is removed after a question, or with --yes.`,
    roles: operation.roles,
    effect: 'write',
    examples: [{ title: 'With vim', command: exampleTarget(operation) }],
  });
  addResourceArguments(command, operation);
  addConfirmOptions(command);
  setAction(command, runtime, async (context, args, options) => {
    const editor = findEditor(context);
    const target = await resolveTarget(context, { operation, resource, args, options });
    await editEntity(context, target, editor, options);
  });
}

/** The editor of the user. @throws CliError (exit 10) if there is neither one nor a terminal */
function findEditor(context: Context): string {
  const { VISUAL, EDITOR } = context.environment.variables;
  const chosen = VISUAL || EDITOR;
  if (chosen && context.settings.options.input !== false) return chosen;
  if (canPrompt(context.promptOptions(false))) return process.platform === 'win32' ? 'notepad' : 'vi';
  throw inputNeededError(
    'An editor needs a terminal, or $VISUAL or $EDITOR; nothing was sent.',
    'Change the fields with the options of `update`, or with -f.',
  );
}

const conflictHint = 'Open it again with the same command, and repeat your change.';

async function editEntity(
  context: Context,
  target: UpdateTarget,
  editor: string,
  options: CommandOptions,
): Promise<void> {
  const read = await readCurrent(context, target);
  const { entity } = read;
  const etag = etagOfFile(read);
  const name = nameOf(target, entity);
  const { formatYaml } = await import('../../io/yaml.ts');
  const original = formatYaml({
    ...editableFields(target, entity),
    ...(etag === undefined ? {} : { [etagProperty]: etag }),
  });
  const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-edit-'));
  const file = path.join(folder, 'edit.yaml');
  let isKept = false;
  const keepFile = () => {
    isKept = true;
    context.notice(`Your file is ${file}.`);
  };
  try {
    let reason: readonly string[] = [];
    let previous = '';
    for (;;) {
      await writeFile(file, `${formatIntroduction(name, reason)}${previous || original}`, { mode: 0o600 });
      await runEditor(editor, file, context.environment.variables).catch((error: unknown) => {
        if (previous !== '') keepFile();
        throw error;
      });
      const text = stripComments(await readText(file, context.io));
      if (text.trim() === '' || text === original) return context.notice(`${name}: nothing to change`);
      if (text === previous) {
        isKept = true;
        const [first = '', ...lines] = reason;
        throw new CliError(`${name} was not changed: ${first}`, {
          code: 'EDIT_CANCELED',
          exitCode: 1,
          lines,
          hint: `Your file is ${file}.`,
        });
      }
      try {
        const edited = await readObject(file, context.io);
        return await writeUpdate(context, target, replaceWith(target, edited, { base: entity, conflictHint }), options);
      } catch (error) {
        if (!isCorrectable(error) || !canPrompt(context.promptOptions(false))) {
          keepFile();
          throw error;
        }
        reason = error instanceof CliError ? error.lines : [error.message];
        previous = text;
      }
    }
  } finally {
    if (!isKept) await rm(folder, { recursive: true, force: true });
  }
}

/** The fields that the update accepts; what a read masks is not among them. */
function editableFields({ rules }: UpdateTarget, entity: EntityFields): EntityFields {
  const names = Object.keys(rules.schema.properties ?? {}).filter((name) => !rules.hidden?.includes(name));
  return Object.fromEntries(names.flatMap((name) => (entity[name] === undefined ? [] : [[name, entity[name]]])));
}

/** Whether another text of the file can help: it is no YAML, or was rejected before anything was written. */
function isCorrectable(error: unknown): error is Error {
  if (error instanceof ClientError) return error.status === 400 || error.status === 422 || error.status === 412;
  return error instanceof CliError && error.exitCode === 2;
}

/** A line break in a name or in the text of a server begins no line of YAML. */
function formatIntroduction(name: string, reason: readonly string[]): string {
  const why = reason.length === 0 ? [] : ['', ...reason];
  const lines = [`Edit ${name}. Lines that start with # are ignored; an empty file changes nothing.`, ...why, ''];
  return lines
    .map((line) => `# ${escapeControls(line)}`.trimEnd())
    .join('\n')
    .concat('\n');
}

function stripComments(text: string): string {
  return text.replace(/^#.*(\r?\n|$)/gm, '');
}
