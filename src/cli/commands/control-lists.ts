/** Lists that the service interface does not have, by the control plane of the server: operators must find an id. */

import type { Command } from 'commander';
import { reference } from '../../contract/entities.ts';
import { controlPages, shapeOf, whereFrom } from '../control.ts';
import { addLeaf, runs } from '../leaf.ts';
import { addExtentOptions, extentOf, printPages } from '../list.ts';
import type { Surroundings } from '../runtime/context.ts';
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

const lists: Readonly<Record<string, ControlList>> = {
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
export function addControlList(noun: Command, surroundings: Surroundings): void {
  const kind = noun.name();
  const list = lists[kind];
  if (!list) throw new Error(`there is no list of ${kind}`);
  const command = addLeaf(noun, 'list', {
    title: list.title,
    description: whereFrom,
    effect: 'read',
    examples: [
      { title: 'The first hundred', command: '' },
      { title: 'Some of them', command: list.example },
    ],
  })
    .alias('ls')
    .option('--name <value>', list.name);
  addExtentOptions(command);
  takes(command, { '--name': list.found });
  runs(command, surroundings, (context, _, options) => {
    const name = options.name as string | undefined;
    return printPages(
      context,
      controlPages(context, `/_iam/${kind}`, { name }),
      shapeOf(list.columns, list.main),
      extentOf(options),
    );
  });
}

/** Adds `groups members`. */
export function addGroupsMembers(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'members', {
    title: 'Lists everything that is in a group: users, businesses, users of businesses, services',
    description: `${whereFrom} \`iam groups users list\` and its like go by the service itself.`,
    effect: 'read',
    examples: [{ title: 'All of them', command: 'ops --all' }],
  }).argument('<group>', 'Id or name of the group');
  addExtentOptions(command);
  takes(command, { group: reference('group', ['name', 'id']) });
  runs(command, surroundings, (context, [group], options) => {
    const path = `/_iam/groups/${encodeURIComponent(String(group))}/members`;
    return printPages(
      context,
      controlPages(context, path, {}),
      shapeOf(memberColumns, memberColumns.length),
      extentOf(options),
    );
  });
}

/** Adds `users factors list`, beside the operations on factors. */
export function addUsersFactors(noun: Command, surroundings: Surroundings): void {
  const factors = noun.commands.find((command) => command.name() === 'factors');
  if (!factors) return;
  const command = addLeaf(factors, 'list', {
    title: 'Lists authentication factors of a user, with masked contacts',
    description: `${whereFrom} \`iam factors list\` goes by the service itself, for the caller's own.`,
    effect: 'read',
    examples: [{ title: 'All of them', command: 'USER_ID' }],
  })
    .alias('ls')
    .argument('<user-id>', 'User id');
  addExtentOptions(command);
  takes(command, { 'user-id': reference('user', ['id']) });
  runs(command, surroundings, (context, [userId], options) => {
    const path = `/_iam/users/${encodeURIComponent(String(userId))}/factors`;
    return printPages(context, controlPages(context, path, {}), shapeOf(factorColumns, 6), extentOf(options));
  });
}
