/** List commands that read the control plane: users, clients and others, `groups members` and `users factors`. */

import type { Command } from 'commander';
import { ClientError } from '../../client/errors.ts';
import { reference } from '../../contract/entities.ts';
import type { JsonSchema, ManifestOperation } from '../../contract/manifest-types.ts';
import { addCommand, setAction } from '../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';
import type { ListShape } from '../output/list-writer.ts';
import type { TableRow } from '../output/table.ts';
import { readOptionalControlList } from '../plan/read-list.ts';
import { declareValueSources } from '../prompts/value-sources.ts';
import { controlPlaneNote } from '../request/control-plane.ts';
import { printControlList } from '../request/control-requests.ts';
import { addListOptions } from '../request/pagination.ts';
import { NameResolver } from '../request/resolve-names.ts';

interface ControlList extends Pick<ListShape, 'text'> {
  readonly title: string;
  /** Description of --name. */
  readonly name: string;
  /** Completion source for --name. */
  readonly nameReference: ReturnType<typeof reference>;
  readonly example: string;
  readonly columns: readonly string[];
  /** Number of leading columns in a table; `wide` prints all. */
  readonly main: number;
  /** Columns that the server can sort by. */
  readonly sort: readonly string[];
}

const controlLists: Readonly<Record<string, ControlList>> = {
  users: {
    title: 'List users',
    name: 'only the user with this login name',
    nameReference: reference('user', ['name']),
    example: '--search ali --sort userName',
    columns: ['userId', 'userName', 'locked', 'userEmail', 'businessId', 'businessName', 'lead', 'nameVerified'],
    main: 7,
    sort: ['userId', 'userName', 'businessId', 'createdAt'],
  },
  clients: {
    title: 'List clients',
    name: 'only clients with this client id, service account id or application id',
    nameReference: reference('client', ['id']),
    example: '--name billing -o wide',
    columns: [
      ...[
        'clientId',
        'appId',
        'serviceAccountId',
        'party',
        'authorities',
        'scope',
        'grantTypes',
        'redirectURIs',
        'audiences',
        'browserLogin',
        'postLogoutRedirectURIs',
        'requirePkce',
        'requirePushedAuthorizationRequests',
        'idTokenAlg',
      ],
      ...['userId', 'userName', 'businessId', 'businessName', 'ownerClientId', 'ownerClientName', 'organizationId'],
      ...['businessUnitId', 'factorVisibility', 'createdAt', 'secretRotatedAt', 'previousSecretEndsAt'],
    ],
    main: 5,
    sort: ['clientId', 'appId', 'serviceAccountId', 'createdAt'],
  },
  businesses: {
    title: 'List businesses',
    name: 'only businesses with exactly this name',
    nameReference: reference('business', ['name']),
    example: '--name Acme -o json',
    columns: [
      ...['businessId', 'businessName', 'document', 'customerId', 'corporateGroupId', 'corporateGroupName'],
      ...['organizationId', 'businessUnitId', 'createdAt'],
    ],
    main: 6,
    sort: ['businessId', 'businessName', 'document', 'createdAt'],
  },
  customers: {
    title: 'List customers',
    name: 'only customers with exactly this name or document, or of the user or business with this id',
    nameReference: reference('customer', ['name']),
    example: '-o csv',
    columns: ['customerId', 'name', 'document', 'userId', 'userName', 'businessId', 'createdAt'],
    main: 6,
    text: ['name'],
    sort: ['customerId', 'name', 'document', 'createdAt'],
  },
};

interface ControlSearch {
  readonly title: string;
  readonly path: string;
  readonly searched: string;
  readonly example: string;
  readonly columns: readonly string[];
  readonly references?: Readonly<Record<string, JsonSchema>>;
  readonly main: number;
  readonly sort: readonly string[];
}

const controlSearches: Readonly<Record<string, ControlSearch>> = {
  groups: {
    title: 'Search groups by part of a name, id or role',
    path: '/_iam/groups',
    searched: 'Text in the name, the id or a role',
    example: 'ops --sort groupName',
    columns: ['groupId', 'groupName', 'roles', 'dependencies', 'organizationId', 'businessUnitId'],
    main: 4,
    sort: ['groupId', 'groupName', 'organizationId', 'createdAt'],
  },
  'corporate-groups': {
    title: 'Search corporate groups by part of a name or id',
    path: '/_iam/corporate-groups',
    searched: 'Text in the name or the id',
    example: 'hold --sort corporateGroupName',
    columns: ['corporateGroupId', 'corporateGroupName', 'businesses', 'organizationId'],
    references: {
      businesses: { type: 'array', items: { properties: { businessId: { ...reference('business', ['id']) } } } },
    },
    main: 4,
    sort: ['corporateGroupId', 'corporateGroupName', 'organizationId'],
  },
  'api-key': {
    title: 'Search API keys by part of an id, application, client or hint',
    path: '/_iam/api-keys',
    searched: 'Text in the id, the application, the client id or the hint',
    example: 'billing --sort -lastUsedAt',
    columns: [
      ...['apiKeyId', 'appId', 'clientId', 'clientName', 'hint', 'createdAt', 'lastUsedAt'],
      ...['rotatedAt', 'previousHint', 'previousKeyEndsAt'],
    ],
    main: 7,
    sort: ['apiKeyId', 'appId', 'clientId', 'createdAt', 'lastUsedAt'],
  },
};

/** Adds `search` to `groups`, `corporate-groups` or `api-key`, whose `list` uses the service API. */
export function addControlSearch(noun: Command, runtime: CliRuntime): void {
  const search = controlSearches[noun.name()];
  if (!search) throw new Error(`no search command for ${noun.name()}`);
  const command = addCommand(noun, 'search', {
    title: search.title,
    description: `Ignores case. Without a text, lists all. ${controlPlaneNote}`,
    effect: 'read',
    examples: [{ title: 'Search and sort', command: search.example }],
  }).argument('[text]', search.searched);
  addSortOption(command, search.sort);
  addListOptions(command);
  setAction(command, runtime, (context, [text], options) =>
    printControlList(context, options, {
      ...search,
      filters: { search: text as string | undefined, sort: readSort(options) },
    }),
  );
}

/**
 * Adds to the rows of a list of the service API what only the control plane has, for `-o wide`: the previous value of a
 * rotated API key. Undefined for other lists.
 */
export function completeForWide(
  context: Context,
  { id }: ManifestOperation,
): ((rows: readonly unknown[]) => Promise<readonly unknown[]>) | undefined {
  if (id !== 'api-key.list' || context.printer.format !== 'wide') return undefined;
  let known: Promise<ReadonlyMap<unknown, TableRow>> | undefined;
  return async (rows) => {
    known ??= readApiKeyItems(context);
    const items = await known;
    return (rows as readonly TableRow[]).map((row) => ({ ...row, ...items.get(row.apiKeyId) }));
  };
}

/** By id; empty where the control plane cannot be used. */
async function readApiKeyItems(context: Context): Promise<ReadonlyMap<unknown, TableRow>> {
  const rows = await readOptionalControlList(context, '/_iam/api-keys').catch((error: unknown) => {
    if (error instanceof ClientError && (error.status === 401 || error.status === 403)) return [];
    throw error;
  });
  return new Map(((rows ?? []) as readonly TableRow[]).map((row) => [row.apiKeyId, row]));
}

export function addSortOption(command: Command, columns: readonly string[]): void {
  command.option('--sort <column>', `sort by ${columns.join(', ')}; descending with a minus sign: -${columns[1]}`);
}

export function readSort({ sort }: CommandOptions): string | undefined {
  return sort as string | undefined;
}

const memberColumns = ['kind', 'userId', 'userName', 'businessId', 'businessName', 'serviceId'];
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
    .option('--name <value>', list.name)
    .option('--search <text>', 'only entries with this text in an id, a name or another field (ignores case)');
  addSortOption(command, list.sort);
  addListOptions(command);
  declareValueSources(command, { '--name': list.nameReference });
  setAction(command, runtime, (context, _, options) => {
    const { name, search } = options as Readonly<Record<string, string | undefined>>;
    const filters = { name, search, sort: readSort(options) };
    return printControlList(context, options, { ...list, path: `/_iam/${kind}`, filters });
  });
}

export function addGroupsMembers(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'members', {
    title: 'List all members of a group',
    description: `Members are users, businesses, business users and services. ${controlPlaneNote} \`iam groups users list\` and similar commands use the service API.`,
    effect: 'read',
    examples: [
      { title: 'List all members', command: 'ops --all' },
      { title: 'Find a member', command: 'ops --search ali' },
    ],
  })
    .argument('<group>', 'Group id or name')
    .option('--search <text>', 'only members with this text in an id or a name (ignores case)');
  addListOptions(command);
  const group = reference('group', ['name', 'id']);
  declareValueSources(command, { group });
  setAction(command, runtime, async (context, [typed], options) => {
    const groupId = await new NameResolver(context).resolve(group['x-reference'], String(typed));
    const path = `/_iam/groups/${encodeURIComponent(groupId)}/members`;
    const { search } = options as Readonly<Record<string, string | undefined>>;
    return printControlList(context, options, {
      path,
      columns: memberColumns,
      main: memberColumns.length,
      filters: { search },
    });
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
    examples: [{ title: 'List all factors', command: 'alice' }],
  })
    .alias('ls')
    .argument('<user-id>', 'User id or login name');
  addListOptions(command);
  const user = reference('user', ['id']);
  declareValueSources(command, { 'user-id': user });
  setAction(command, runtime, async (context, [typed], options) => {
    const userId = await new NameResolver(context).resolve(user['x-reference'], String(typed));
    const path = `/_iam/users/${encodeURIComponent(userId)}/factors`;
    return printControlList(context, options, { path, columns: factorColumns, main: 6 });
  });
}
