/** List commands that read the control plane: users, clients and others, `groups members` and `users factors`. */

import type { Command } from 'commander';
import { reference } from '../../contract/entities.ts';
import { addCommand, setAction } from '../command.ts';
import type { CliRuntime } from '../context.ts';
import { declareValueSources } from '../prompts/value-sources.ts';
import { buildListShape, controlPlaneNote, createControlPageSource } from '../request/control-plane.ts';
import { addListOptions, parseListLimits, printPages } from '../request/pagination.ts';
import { NameResolver } from '../request/resolve-names.ts';

interface ControlList {
  readonly title: string;
  /** Description of --name. */
  readonly name: string;
  /** Completion source for --name. */
  readonly nameReference: ReturnType<typeof reference>;
  readonly example: string;
  readonly columns: readonly string[];
  /** Number of leading columns in a table; `wide` prints all. */
  readonly main: number;
}

const controlLists: Readonly<Record<string, ControlList>> = {
  users: {
    title: 'List users',
    name: 'only the user with this login name',
    nameReference: reference('user', ['name']),
    example: '--name alice',
    columns: ['userId', 'userName', 'userEmail', 'businessId', 'lead', 'locked'],
    main: 6,
  },
  clients: {
    title: 'List clients',
    name: 'only clients with this client id, service account id or application id',
    nameReference: reference('client', ['id']),
    example: '--name billing -o wide',
    columns: [
      ...['clientId', 'appId', 'serviceAccountId', 'party', 'authorities', 'scope', 'grantTypes', 'redirectURI'],
      ...['userId', 'businessId', 'ownerClientId', 'organizationId', 'businessUnitId', 'factorVisibility', 'createdAt'],
    ],
    main: 5,
  },
  businesses: {
    title: 'List businesses',
    name: 'only businesses with exactly this name',
    nameReference: reference('business', ['name']),
    example: '--name Acme -o json',
    columns: [
      ...['businessId', 'businessName', 'document', 'customerId', 'corporateGroupId', 'organizationId'],
      ...['businessUnitId', 'createdAt'],
    ],
    main: 5,
  },
  customers: {
    title: 'List customers',
    name: 'only customers with exactly this name',
    nameReference: reference('customer', ['name']),
    example: '-o csv',
    columns: ['customerId', 'name', 'document', 'userId', 'businessId', 'createdAt'],
    main: 5,
  },
};

const memberColumns = ['kind', 'userId', 'businessId', 'serviceId'];
const factorColumns = ['id', 'contactType', 'email', 'mobile', 'verified', 'default', 'credential', 'tags'];

/** Adds `list` to `users`, `clients`, `businesses` or `customers`. */
export function addControlList(noun: Command, runtime: CliRuntime): void {
  const kind = noun.name();
  const list = controlLists[kind];
  if (!list) throw new Error(`no list command for ${kind}`);
  const command = addCommand(noun, 'list', {
    title: list.title,
    description: controlPlaneNote,
    effect: 'read',
    examples: [
      { title: 'List the entries', command: '' },
      { title: 'Filter or format the list', command: list.example },
    ],
  })
    .alias('ls')
    .option('--name <value>', list.name);
  addListOptions(command);
  declareValueSources(command, { '--name': list.nameReference });
  setAction(command, runtime, (context, _, options) => {
    const name = options.name as string | undefined;
    return printPages(
      context,
      createControlPageSource(context, `/_iam/${kind}`, { name }),
      buildListShape(list.columns, list.main),
      parseListLimits(options),
    );
  });
}

/** Adds `groups members`. */
export function addGroupsMembers(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'members', {
    title: 'List all members of a group',
    description: `Members are users, businesses, business users and services. ${controlPlaneNote} \`iam groups users list\` and similar commands use the service API.`,
    effect: 'read',
    examples: [{ title: 'List all members', command: 'ops --all' }],
  }).argument('<group>', 'Group id or name');
  addListOptions(command);
  declareValueSources(command, { group: reference('group', ['name', 'id']) });
  setAction(command, runtime, (context, [group], options) => {
    const path = `/_iam/groups/${encodeURIComponent(String(group))}/members`;
    return printPages(
      context,
      createControlPageSource(context, path, {}),
      buildListShape(memberColumns, memberColumns.length),
      parseListLimits(options),
    );
  });
}

/** Adds `users factors list` next to the generated commands for factors. */
export function addUsersFactors(noun: Command, runtime: CliRuntime): void {
  const factors = noun.commands.find((command) => command.name() === 'factors');
  if (!factors) return;
  const command = addCommand(factors, 'list', {
    title: 'List the authentication factors of a user',
    description: `Contacts are masked. ${controlPlaneNote} \`iam factors list\` lists your own factors through the service API.`,
    effect: 'read',
    examples: [{ title: 'List all factors', command: 'USER_ID' }],
  })
    .alias('ls')
    .argument('<user-id>', 'User id or login name');
  addListOptions(command);
  const user = reference('user', ['id']);
  declareValueSources(command, { 'user-id': user });
  setAction(command, runtime, async (context, [typed], options) => {
    const userId = await new NameResolver(context).resolve(user['x-reference'], String(typed));
    const path = `/_iam/users/${encodeURIComponent(userId)}/factors`;
    return printPages(
      context,
      createControlPageSource(context, path, {}),
      buildListShape(factorColumns, 6),
      parseListLimits(options),
    );
  });
}
