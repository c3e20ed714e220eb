/** Lists that the service interface does not have, by the control plane of the server: operators must find an id. */

import type { Command } from 'commander';
import { reference } from '../../contract/entities.ts';
import { addCommand, setAction } from '../command.ts';
import { buildListShape, controlPlaneNote, createControlPageSource } from '../control-plane.ts';
import { addListOptions, parseListLimits, printPages } from '../pagination.ts';
import type { CliRuntime } from '../runtime/context.ts';
import { takes } from '../value-sources.ts';

interface ControlList {
  readonly title: string;
  /** What --name looks at. */
  readonly name: string;
  /** What completion offers for it. */
  readonly found: ReturnType<typeof reference>;
  readonly example: string;
  readonly columns: readonly string[];
  /** How many of them, from the first, a table shows; wide shows all. */
  readonly main: number;
}

const controlLists: Readonly<Record<string, ControlList>> = {
  users: {
    title: 'Lists users, with masked contacts',
    name: 'only the user who logs in by this name',
    found: reference('user', ['name']),
    example: '--name alice',
    columns: ['userId', 'userName', 'userEmail', 'businessId', 'lead', 'locked'],
    main: 6,
  },
  clients: {
    title: 'Lists clients, without their secrets',
    name: 'only clients of this client id, service account id or application',
    found: reference('client', ['id']),
    example: '--name billing -o wide',
    columns: [
      ...['clientId', 'appId', 'serviceAccountId', 'party', 'authorities', 'scope', 'grantTypes', 'redirectURI'],
      ...['userId', 'businessId', 'ownerClientId', 'organizationId', 'businessUnitId', 'factorVisibility', 'createdAt'],
    ],
    main: 5,
  },
  businesses: {
    title: 'Lists businesses',
    name: 'only businesses of exactly this name',
    found: reference('business', ['name']),
    example: '--name Acme -o json',
    columns: [
      ...['businessId', 'businessName', 'document', 'customerId', 'corporateGroupId', 'organizationId'],
      ...['businessUnitId', 'createdAt'],
    ],
    main: 5,
  },
  customers: {
    title: 'Lists customers: users and businesses',
    name: 'only customers of exactly this name',
    found: reference('customer', ['name']),
    example: '--all -o csv',
    columns: ['customerId', 'name', 'document', 'userId', 'businessId', 'createdAt'],
    main: 5,
  },
};

const memberColumns = ['kind', 'userId', 'businessId', 'serviceId'];
const factorColumns = ['id', 'contactType', 'email', 'mobile', 'verified', 'default', 'credential', 'tags'];

/** Adds `list` to one of the nouns. */
export function addControlList(noun: Command, runtime: CliRuntime): void {
  const kind = noun.name();
  const list = controlLists[kind];
  if (!list) throw new Error(`there is no list of ${kind}`);
  const command = addCommand(noun, 'list', {
    title: list.title,
    description: controlPlaneNote,
    effect: 'read',
    examples: [
      { title: 'The first hundred', command: '' },
      { title: 'Some of them', command: list.example },
    ],
  })
    .alias('ls')
    .option('--name <value>', list.name);
  addListOptions(command);
  takes(command, { '--name': list.found });
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
    title: 'Lists everything that is in a group: users, businesses, users of businesses, services',
    description: `${controlPlaneNote} \`iam groups users list\` and its like go by the service itself.`,
    effect: 'read',
    examples: [{ title: 'All of them', command: 'ops --all' }],
  }).argument('<group>', 'Id or name of the group');
  addListOptions(command);
  takes(command, { group: reference('group', ['name', 'id']) });
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

/** Adds `users factors list`, beside the operations on factors. */
export function addUsersFactors(noun: Command, runtime: CliRuntime): void {
  const factors = noun.commands.find((command) => command.name() === 'factors');
  if (!factors) return;
  const command = addCommand(factors, 'list', {
    title: 'Lists authentication factors of a user, with masked contacts',
    description: `${controlPlaneNote} \`iam factors list\` goes by the service itself, for the caller's own.`,
    effect: 'read',
    examples: [{ title: 'All of them', command: 'USER_ID' }],
  })
    .alias('ls')
    .argument('<user-id>', 'User id');
  addListOptions(command);
  takes(command, { 'user-id': reference('user', ['id']) });
  setAction(command, runtime, (context, [userId], options) => {
    const path = `/_iam/users/${encodeURIComponent(String(userId))}/factors`;
    return printPages(
      context,
      createControlPageSource(context, path, {}),
      buildListShape(factorColumns, 6),
      parseListLimits(options),
    );
  });
}
