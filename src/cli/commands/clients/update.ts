/** `iam clients update`: changes selected fields of a client through the control plane, and preserves concurrent changes. */
import type { Command } from 'commander';
import { reference } from '../../../contract/entities.ts';
import { stripRolePrefix } from '../../../contract/roles.ts';
import { addCommand, setAction, toAttribute } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { maxAttempts, unlessRejected } from '../../request/call-operation.ts';
import { callControlPlane, controlPlaneNote, controlRequestPreview } from '../../request/control-plane.ts';
import { collectValues } from '../../request/field-options.ts';
import { printRequestPreview } from '../../request/preview.ts';
import { NameResolver } from '../../request/resolve-names.ts';

/** Fields with one value: their option and its description. An empty value clears those that may be empty. */
const textFields = {
  appId: ['app-id', 'application that the client belongs to'],
  redirectURI: ['redirect-uri', 'redirect URI for logins; empty to clear'],
  organizationId: ['organization-id', 'organization the client belongs to; empty to clear'],
  businessUnitId: ['business-unit-id', 'business unit the client belongs to; empty to clear'],
  factorVisibility: [
    'factor-visibility',
    'which factors of a user the client sees: CREDENTIALS_ONLY, MARKED_RESOURCES or UNRESTRICTED',
  ],
} as const;

/** Fields with several values: the word of their options. */
const listFields = { scope: 'scope', grantTypes: 'grant-type', authorities: 'authority' } as const;
type ListField = keyof typeof listFields;

const client = reference('client', ['id']);

export function addClientsUpdate(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'update', {
    title: 'Update a client',
    description: `Changes only the fields that are named, and prints what changed. If the client was changed in the meantime, the command retries. Client id, service account, owner and party cannot change. The service API has no operation for this. ${controlPlaneNote}`,
    roles:
      'CLI-1STPARTY and CLI-AUTH-IDENTIFIED and ((AUTH-MFA and ADMIN) or (PERSON and not BUSINESS) or BUSINESSOWNER or BUSINESSADMIN)',
    effect: 'write',
    examples: [
      { title: 'Change the redirect URI', command: 'CLIENT_ID --redirect-uri https://app.example.com/callback' },
      { title: 'Add one scope and remove another', command: 'CLIENT_ID --add-scope WRITE --remove-scope READ' },
      { title: 'Preview the request', command: 'CLIENT_ID --organization-id acme --dry-run' },
    ],
  }).argument('<client-id>', 'Client id, service account or application');
  for (const [flag, description] of Object.values(textFields)) command.option(`--${flag} <value>`, description);
  for (const word of Object.values(listFields))
    for (const verb of ['add', 'remove'])
      command.option(
        `--${verb}-${word} <value..>`,
        `${word.replace('-', ' ')} to ${verb} (repeatable or comma-separated)`,
        collectValues,
      );
  declareValueSources(command, {
    'client-id': client,
    '--app-id': reference('client', ['application']),
    '--add-authority': reference('role', ['name']),
  });
  setAction(command, runtime, async (context, [typed], options) => {
    const edit = readEdit(options);
    const names = new NameResolver(context, options.dryRun === true);
    const id = await names.resolve(client['x-reference'], String(typed));
    if (options.dryRun === true) names.printResolved();
    await update(context, id, edit, options.dryRun === true);
  });
}

type Row = Readonly<Record<string, unknown>>;

interface Edit {
  /** null clears a field. */
  readonly fields: Readonly<Record<string, string | null>>;
  readonly lists: Readonly<Record<string, { readonly add: readonly string[]; readonly remove: readonly string[] }>>;
}

/** @throws CliError if no field is named, or a value is both added and removed */
function readEdit(options: CommandOptions): Edit {
  const fields = Object.entries(textFields).flatMap(([field, [flag]]) => {
    const value = options[toAttribute(flag)] as string | undefined;
    return value === undefined ? [] : [[field, value === '' ? null : value] as const];
  });
  const lists = Object.entries(listFields).map(([field, word]) => {
    const read = (verb: string) => (options[toAttribute(`${verb}-${word}`)] as string[] | undefined) ?? [];
    const normalize = field === 'authorities' ? stripRolePrefix : (value: string) => value;
    const edit = { add: read('add').map(normalize), remove: read('remove').map(normalize) };
    const both = edit.add.find((value) => edit.remove.includes(value));
    if (both !== undefined) throw usageError(`--add-${word} and --remove-${word} both name ${JSON.stringify(both)}.`);
    return [field, edit] as const;
  });
  const isEmpty = fields.length === 0 && lists.every(([, { add, remove }]) => add.length + remove.length === 0);
  if (isEmpty) throw usageError('No changes specified.', 'See `iam clients update --help` for the options.');
  return { fields: Object.fromEntries(fields), lists: Object.fromEntries(lists) };
}

/** The fields to send, and what they change. */
function applyEdit(before: Row, { fields, lists }: Edit): { readonly body: Row; readonly differences: string[] } {
  const body: Record<string, unknown> = {};
  const differences: string[] = [];
  for (const [field, value] of Object.entries(fields)) {
    if ((before[field] ?? null) === value) continue;
    body[field] = value;
    differences.push(value === null ? `- ${field}` : `${field} = ${value}`);
  }
  for (const [field, { add, remove }] of Object.entries(lists)) {
    const values = before[field] as readonly string[];
    const after = [...new Set([...values, ...add])].filter((value) => !remove.includes(value));
    const kind = listFields[field as ListField].replace('-', ' ');
    const changes = [
      ...after.filter((value) => !values.includes(value)).map((value) => `+ ${kind} ${value}`),
      ...values.filter((value) => !after.includes(value)).map((value) => `- ${kind} ${value}`),
    ];
    if (changes.length === 0) continue;
    body[field] = after;
    differences.push(...changes);
  }
  return { body, differences };
}

/** Reads the client and sends what the edit changes; repeats both if the client was changed in between. */
async function update(context: Context, id: string, edit: Edit, isPreview: boolean): Promise<void> {
  const path = `/_iam/clients/${encodeURIComponent(id)}`;
  for (let attempt = 1; ; attempt += 1) {
    const { body: read, headers } = await callControlPlane(context, 'GET', path);
    const before = read as Row;
    const { body, differences } = applyEdit(before, edit);
    if (differences.length === 0) return printClient(context, before, `${id}: nothing to change`);
    if (isPreview) {
      await printRequestPreview(context, { ...controlRequestPreview(context, 'PATCH', path), body });
      return context.notice(...differences);
    }
    const expectedCodes = attempt < maxAttempts ? ['CHANGED_MEANWHILE'] : [];
    const request = callControlPlane(context, 'PATCH', path, { body, ifMatch: headers.etag });
    const response = await unlessRejected(request, expectedCodes);
    if (response) return printClient(context, response.body, `${id}: ${differences.join(', ')}`);
  }
}

async function printClient(context: Context, client: unknown, notice: string): Promise<void> {
  if (!context.printer.isForPeople) await context.printer.value(client);
  context.notice(notice);
}
